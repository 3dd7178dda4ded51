"""Steps: people mark messages as read, as unread, or with a star."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.model.world import World, channels, people, picks
from tests.support.answers import assert_error, assert_success


class Marking(World):
    """What people note about messages for themselves."""

    @precondition(lambda self: self.oracle.messages)
    @rule(
        person=people,
        pick=picks,
        op=st.sampled_from(["add", "remove"]),
        flag=st.sampled_from(["read", "read", "starred"]),
    )
    def mark_one(self, person: str, pick: int, op: str, flag: str) -> None:
        message = self.pick(pick)
        answer = self.call(
            "post", "/messages/flags", person, messages=[message.id], op=op, flag=flag
        )
        if not self.oracle.sees(person, message):
            assert_error(answer)
            return
        assert_success(answer)
        marked = self.oracle.unread[person] if flag == "read" else self.oracle.starred[person]
        if (op == "add") == (flag == "starred"):
            if flag == "starred" or self.oracle.reaches(person, message):
                marked.add(message.id)
        else:
            marked.discard(message.id)

    @precondition(lambda self: self.oracle.messages)
    @rule(person=people, pick=picks)
    def mark_topic(self, person: str, pick: int) -> None:
        message = self.pick(pick)
        if message.place is None or not self.oracle.sees(person, message):
            return
        channel, topic = message.place
        answer = self.call(
            "post",
            "/mark_topic_as_read",
            person,
            stream_id=self.channel_ids[channel],
            topic_name=topic,
        )
        assert_success(answer)
        self.oracle.read(person, self.oracle.in_place(message.place))

    @rule(person=people, number=channels)
    def mark_channel(self, person: str, number: int) -> None:
        name = self.channel(number)
        if person not in self.oracle.members[name]:
            return
        stream_id = self.channel_ids[name]
        assert_success(self.call("post", "/mark_stream_as_read", person, stream_id=stream_id))
        self.oracle.read(person, [each for each in self.oracle.sent if each.channel == name])

    @rule(person=people)
    def mark_all(self, person: str) -> None:
        assert_success(self.call("post", "/mark_all_as_read", person))
        self.oracle.read(person, self.oracle.sent)
