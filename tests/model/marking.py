"""Steps: users mark messages as read, as unread, or with a star."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.model.oracle import Place
from tests.model.world import World, people, picks
from tests.support.responses import assert_error, assert_success


class Marking(World):
    """Steps that change flags of messages."""

    @precondition(lambda self: self.oracle.messages)
    @rule(
        person=people,
        pick=picks,
        op=st.sampled_from(["add", "remove"]),
        flag=st.sampled_from(["read", "read", "starred"]),
    )
    def mark_one(self, person: str, pick: int, op: str, flag: str) -> None:
        message = self.pick(pick)
        response = self.call(
            "post", "/messages/flags", person, messages=[message.id], op=op, flag=flag
        )
        if not self.oracle.sees(person, message):
            assert_error(response)
            return
        assert_success(response)
        marked = self.oracle.unread[person] if flag == "read" else self.oracle.starred[person]
        if (op == "add") == (flag == "starred"):
            if flag == "starred" or self.oracle.reaches(person, message):
                marked.add(message.id)
        else:
            marked.discard(message.id)

    @precondition(lambda self: self.oracle.messages)
    @rule(person=people, pick=picks, much=st.sampled_from(["topic", "channel", "all"]))
    def mark_many(self, person: str, pick: int, much: str) -> None:
        message = self.pick(pick)
        if much == "all":
            assert_success(self.call("post", "/mark_all_as_read", person))
            self.oracle.read(person, self.oracle.sent)
        elif message.place is not None and self.oracle.sees(person, message):
            self._mark_place(person, message.place, much)

    def _mark_place(self, person: str, place: Place, much: str) -> None:
        channel, topic = place
        stream_id = self.channel_ids[channel]
        if much == "channel":
            response = self.call("post", "/mark_stream_as_read", person, stream_id=stream_id)
            marked = [each for each in self.oracle.sent if each.channel == channel]
        else:
            params = {"stream_id": stream_id, "topic_name": topic}
            response = self.call("post", "/mark_topic_as_read", person, **params)
            marked = self.oracle.in_place(place)
        assert_success(response)
        self.oracle.read(person, marked)
