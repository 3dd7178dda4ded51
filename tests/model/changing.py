"""Steps: users edit texts, move messages, delete them, and react to them."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.model.oracle import Mode, Sent
from tests.model.world import World, channels, people, picks, topics, words
from tests.support.responses import assert_error, assert_success

_MODES: tuple[Mode, ...] = ("change_one", "change_later", "change_all")
_EMOJI = ("octopus", "heart")


class Changing(World):
    """Steps that change existing messages."""

    @precondition(lambda self: self.oracle.messages)
    @rule(person=people | st.none(), pick=picks, text=words)
    def edit(self, person: str | None, pick: int, text: str) -> None:
        """None: the sender of the message."""
        message = self.pick(pick)
        if person is None:
            person = message.sender if message.sender in self.persons else "owner"
        response = self.call("patch", f"/messages/{message.id}", person, content=text)
        if not self.oracle.may_edit(person, message):
            assert_error(response)
            return
        assert_success(response)
        if text != message.text:
            self.tell(self._who_hears(message), ("edit", message.id, text))
            self.oracle.edit(message, text)

    @precondition(lambda self: self.oracle.messages)
    @rule(person=people, pick=picks, emoji=st.sampled_from(_EMOJI), op=st.booleans())
    def react(self, person: str, pick: int, emoji: str, op: bool) -> None:
        message = self.pick(pick)
        method, word = ("post", "add") if op else ("delete", "remove")
        path = f"/messages/{message.id}/reactions"
        response = self.call(method, path, person, emoji_name=emoji)
        if not self.oracle.sees(person, message):
            assert_error(response)
            return
        if ((person, emoji) in message.reactions) == op:
            assert response.status == 400, response.body
            return
        assert_success(response)
        user_id = self.persons[person].user_id
        self.tell(self._who_hears(message), ("reaction", word, message.id, user_id, emoji))
        self.oracle.react(message, (person, emoji))

    @precondition(lambda self: self.oracle.messages)
    @rule(
        person=people,
        pick=picks,
        mode=st.sampled_from(_MODES),
        number=channels,
        topic=topics,
        notify=st.just((False, False)) | st.tuples(st.booleans(), st.booleans()),
    )
    def move(
        self,
        person: str,
        pick: int,
        mode: Mode,
        number: int,
        topic: str,
        notify: tuple[bool, bool],
    ) -> None:
        message, channel = self.pick(pick), self.channel(number)
        response = self.call(
            "patch",
            f"/messages/{message.id}",
            person,
            topic=topic,
            stream_id=self.channel_ids[channel],
            propagate_mode=mode,
            send_notification_to_old_thread=notify[0],
            send_notification_to_new_thread=notify[1],
        )
        if not self.oracle.may_move(person, message, channel, topic):
            assert response.status == 400, response.body
            return
        assert_success(response)
        taken = self.oracle.taken(person, message, mode, channel, topic)
        if taken:
            topic = self.oracle.spelled_after(taken, channel, topic)
            self._tell_move(taken, channel, topic)
            self.happened_in(message)
            self.oracle.move(taken, channel, topic)
            self.happened_in(self.oracle.messages[message.id])
            self.learn_notices()

    @precondition(lambda self: self.oracle.messages)
    @rule(pick=picks, mode=st.sampled_from(_MODES), number=channels, topic=topics)
    def tidy_up(self, pick: int, mode: Mode, number: int, topic: str) -> None:
        """The owner may move any message of a channel: this makes sure that many are moved."""
        self.move("owner", pick, mode, number, topic, (False, False))

    def _tell_move(self, taken: list[Sent], channel: str, topic: str) -> None:
        source = taken[0].channel or ""
        oracle = self.oracle
        follow = {
            person
            for person in oracle.members[source] | oracle.members[channel]
            if oracle.reads(person, source) and oracle.reads(person, channel)
        }
        target = self.channel_ids[channel]

        def told_to(person: str) -> tuple[object, ...] | None:
            ids = [each.id for each in taken if oracle.sees(person, each)]
            if person not in follow or not ids:
                return None
            return ("move", ids, self.where(taken[0]), (target, topic))

        self.tell_each(told_to)
        self.tell_deletion(
            taken, [each for each in self.persons if not oracle.reads(each, channel)]
        )

    @precondition(lambda self: self.oracle.messages)
    @rule(person=people, pick=picks)
    def delete(self, person: str, pick: int) -> None:
        message = self.pick(pick)
        response = self.call("delete", f"/messages/{message.id}", person)
        if not self.oracle.may_delete(person, message):
            assert_error(response)
            return
        assert_success(response)
        self._delete([message])

    @precondition(lambda self: self.oracle.messages)
    @rule(person=people, pick=picks)
    def delete_topic(self, person: str, pick: int) -> None:
        message = self.pick(pick)
        if message.place is None:
            return
        channel, topic = message.place
        path = f"/streams/{self.channel_ids[channel]}/delete_topic"
        response = self.call("post", path, person, topic_name=topic)
        if person not in self.oracle.admins or not self.oracle.reads(person, channel):
            assert response.status == 400, response.body
            return
        assert assert_success(response)["complete"]
        around = self.oracle.in_place(message.place)
        if gone := [each for each in around if self.oracle.sees(person, each)]:
            self._delete(gone)

    def _delete(self, gone: list[Sent]) -> None:
        self.tell_deletion(gone, self.persons)
        self.happened_in(gone[0])
        self.oracle.delete(gone)

    def _who_hears(self, message: Sent) -> set[str]:
        return {person for person in self.persons if self.oracle.reaches(person, message)}
