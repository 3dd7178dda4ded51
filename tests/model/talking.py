"""Steps: channels are created; users subscribe, unsubscribe and send messages."""

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.model.oracle import ChannelKind, Sent
from tests.model.world import (
    CHANNELS,
    TOPICS,
    WORDS,
    ObservedQueue,
    World,
    channels,
    people,
    topics,
    words,
)
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_success

_SETTINGS: dict[ChannelKind, dict[str, object]] = {
    "public": {},
    "web_public": {"is_web_public": True},
    "private": {"invite_only": True, "history_public_to_subscribers": True},
    "protected": {"invite_only": True, "history_public_to_subscribers": False},
}
_HEARD = ["message", "update_message", "delete_message", "reaction"]

kinds: st.SearchStrategy[ChannelKind] = st.sampled_from(sorted(_SETTINGS))


class Talking(World):
    """The owner is subscribed to every channel from its creation.

    They subscribe users who may not subscribe themselves.
    """

    @initialize(
        chosen=st.lists(st.tuples(kinds, st.sets(people)), min_size=2, max_size=len(CHANNELS))
    )
    def people_come(self, chosen: list[tuple[ChannelKind, set[str]]]) -> None:
        """Channels, their subscribers, and a message of each of them."""
        self.do(self.begin())
        for number, (kind, inside) in enumerate(chosen):
            self.create_channel(CHANNELS[number], kind)
            if inside:
                self.join(number, inside)
            for person in sorted(inside):
                self.send(CHANNELS[number], TOPICS[0], person, WORDS[0], is_read=True)

    def create_channel(self, name: str, kind: ChannelKind) -> None:
        response = self.call(
            "post",
            "/channels/create",
            "owner",
            name=name,
            subscribers=[self.persons["owner"].user_id],
            **_SETTINGS[kind],
        )
        self.channel_ids[name] = assert_success(response)["id"]
        self.oracle.create(name, kind)
        self.oracle.join("owner", name)
        self.learn_notices()

    @precondition(lambda self: len(self.oracle.kinds) < len(CHANNELS))
    @rule(kind=kinds)
    def create_another_channel(self, kind: ChannelKind) -> None:
        self.create_channel(CHANNELS[len(self.oracle.kinds)], kind)

    @rule(number=channels, newcomers=st.sets(people, min_size=1))
    def join(self, number: int, newcomers: set[str]) -> None:
        name = self.channel(number)
        response = self.call(
            "post",
            "/users/me/subscriptions",
            "owner",
            subscriptions=[{"name": name}],
            principals=[self.persons[person].user_id for person in newcomers],
            send_new_subscription_messages=False,
        )
        assert_success(response)
        for person in newcomers:
            self.oracle.join(person, name)

    @rule(number=channels, person=people)
    def leave(self, number: int, person: str) -> None:
        name = self.channel(number)
        if person == "owner" or person not in self.oracle.members[name]:
            return
        response = self.call("delete", "/users/me/subscriptions", person, subscriptions=[name])
        assert_success(response)
        self.oracle.leave(person, name)

    @rule(
        number=channels,
        topic=topics,
        senders=st.lists(people, min_size=1, max_size=3),
        text=words,
        is_read=st.booleans(),
    )
    def talk(self, number: int, topic: str, senders: list[str], text: str, is_read: bool) -> None:
        for person in senders:
            self.send(self.channel(number), topic, person, text, is_read=is_read)

    def send(self, name: str, topic: str, person: str, text: str, *, is_read: bool) -> None:
        address = self.address(name, topic)
        response = self.call(
            "post", "/messages", person, **address, content=text, read_by_sender=is_read
        )
        self.learn_sent(response, name, topic, person, text, is_read=is_read)

    def address(self, name: str, topic: str) -> dict[str, object]:
        return {"type": "channel", "to": self.channel_ids[name], "topic": topic}

    def learn_sent(
        self, response: ApiResponse, name: str, topic: str, person: str, text: str, *, is_read: bool
    ) -> None:
        """Add a message that was sent to a channel to the oracle, if it may be sent there."""
        if not self.oracle.is_open_to(person, name):
            assert response.status == 400, response.body
            return
        audience = frozenset(self.oracle.members[name])
        message_id = assert_success(response)["id"]
        message = Sent(message_id, person, name, self.oracle.spelled(name, topic), audience, text)
        self.tell_sent(message, is_read=is_read)

    @rule(person=people, others=st.sets(people, max_size=3), text=words, is_read=st.booleans())
    def send_direct(self, person: str, others: set[str], text: str, is_read: bool) -> None:
        audience = frozenset({person, *others})
        to = [self.persons[each].user_id for each in audience]
        response = self.call(
            "post",
            "/messages",
            person,
            type="direct",
            to=to,
            content=text,
            read_by_sender=is_read,
        )
        message = Sent(assert_success(response)["id"], person, None, "", audience, text)
        self.tell_sent(message, is_read=is_read)

    @precondition(lambda self: len(self.ears) < len(self.persons))
    @rule(person=people, takes_many=st.booleans(), is_patient=st.booleans())
    def open_queue(self, person: str, takes_many: bool, is_patient: bool) -> None:
        able = {"bulk_message_deletion": takes_many, "empty_topic_name": True}
        listener = self.do(
            listen(
                self.client,
                self.persons[person],
                event_types=_HEARD,
                fetch_event_types=[],
                apply_markdown=False,
                client_capabilities={"notification_settings_null": True, **able},
            )
        )
        self.ears.append(ObservedQueue(person, listener, takes_many, is_patient))
