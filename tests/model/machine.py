"""Random organizations: every step is done through the API and in the oracle, then compared."""

import asyncio
from collections.abc import Coroutine
from itertools import count
from typing import Any, ClassVar, TypeVar

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from typing_extensions import override

from chatapi.core.roles import Role
from chatapi.main import ChatApp
from tests.factories import Person, make_realm, make_user
from tests.model.oracle import ChannelKind, Oracle, Sent
from tests.support.answers import Answer, assert_error, assert_success
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen

T = TypeVar("T")

_ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMIN,
    "member": Role.MEMBER,
    "guest": Role.GUEST,
}
_CHANNELS = ("c1", "c2", "c3", "c4")
_TOPICS = ("t1", "T1", "t2", "")
_SETTINGS: dict[ChannelKind, dict[str, object]] = {
    "public": {},
    "web_public": {"is_web_public": True},
    "private": {"invite_only": True, "history_public_to_subscribers": True},
    "protected": {"invite_only": True, "history_public_to_subscribers": False},
}
_numbers = count(1)

people = st.sampled_from(sorted(_ROLES))
channels = st.sampled_from(_CHANNELS)
topics = st.sampled_from(_TOPICS)
picks = st.integers(0, 1_000)
kinds: st.SearchStrategy[ChannelKind] = st.sampled_from(sorted(_SETTINGS))


class QuickClient(ApiClient):
    """Compares no answer with the document: other tests do, and this one asks very often."""

    @override
    def read(self, response: httpx.Response) -> Answer:
        return Answer(response.status_code, response.json(), response.headers)


class Organization(RuleBasedStateMachine):
    """One organization of a running service; hypothesis decides what happens in it.

    The owner is in every channel from its beginning, and puts in whom the channel does not let
    in by themselves.
    """

    app: ClassVar[ChatApp]
    loop: ClassVar[asyncio.AbstractEventLoop]

    def __init__(self) -> None:
        super().__init__()
        self.oracle = Oracle(guests={"guest"})
        self.persons: dict[str, Person] = {}
        self.listeners: list[tuple[str, Listener, list[int]]] = []
        self.channel_ids: dict[str, int] = {}
        self.client: ApiClient = QuickClient(self.app)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=60)

    @initialize()
    def people_come(self) -> None:
        self.do(self._begin())

    async def _begin(self) -> None:
        number = next(_numbers)
        realm = await make_realm(self.app.runtime, f"Org {number}", f"org{number}")
        self.client = QuickClient(self.app, f"org{number}.localhost")
        for name, role in _ROLES.items():
            self.persons[name] = await make_user(
                self.app.runtime, realm, role, full_name=name, email=f"{name}{number}@example.com"
            )
        opened = {"enable_spectator_access": True}
        assert_success(await self.client.patch("/realm", self.persons["owner"], **opened))

    def call(self, method: str, path: str, person: str, **params: object) -> Answer:
        caller = getattr(self.client, method)
        answer: Answer = self.do(caller(path, self.persons[person], **params))
        return answer

    @rule(name=channels, kind=kinds)
    def create_channel(self, name: str, kind: ChannelKind) -> None:
        if name in self.oracle.kinds:
            return
        answer = self.call(
            "post",
            "/channels/create",
            "owner",
            name=name,
            subscribers=[self.persons["owner"].user_id],
            **_SETTINGS[kind],
        )
        self.channel_ids[name] = assert_success(answer)["id"]
        self.oracle.kinds[name] = kind
        self.oracle.members[name] = {"owner"}
        self._notice_in(name)

    def _notice_in(self, name: str) -> None:
        """The service itself says that there is a new channel; to the oracle that is a message."""
        narrow = [{"operator": "channel", "operand": name}]
        answer = self.call(
            "get", "/messages", "owner", anchor="newest", num_before=10, num_after=0, narrow=narrow
        )
        [notice] = assert_success(answer)["messages"]
        message = Sent(notice["id"], "service", name, notice["subject"], frozenset({"owner"}))
        self._sent(message, is_read=False)

    @precondition(lambda self: self.oracle.kinds)
    @rule(name=channels, person=people)
    def join(self, name: str, person: str) -> None:
        if name not in self.oracle.kinds:
            return
        answer = self.call(
            "post",
            "/users/me/subscriptions",
            "owner",
            subscriptions=[{"name": name}],
            principals=[self.persons[person].user_id],
            send_new_subscription_messages=False,
        )
        assert_success(answer)
        self.oracle.members[name].add(person)

    @precondition(lambda self: self.oracle.kinds)
    @rule(name=channels, person=people)
    def leave(self, name: str, person: str) -> None:
        if person == "owner" or person not in self.oracle.members.get(name, ()):
            return
        answer = self.call("delete", "/users/me/subscriptions", person, subscriptions=[name])
        assert_success(answer)
        self.oracle.leave(person, name)

    @precondition(lambda self: self.oracle.kinds)
    @rule(name=channels, topic=topics, person=people, is_read=st.booleans())
    def send(self, name: str, topic: str, person: str, is_read: bool) -> None:
        if name not in self.oracle.kinds:
            return
        answer = self.call(
            "post",
            "/messages",
            person,
            type="channel",
            to=self.channel_ids[name],
            topic=topic,
            content="Hello",
            read_by_sender=is_read,
        )
        if not self.oracle.is_open_to(person, name):
            assert answer.status == 400, answer.body
            return
        audience = frozenset(self.oracle.members[name])
        message = Sent(assert_success(answer)["id"], person, name, topic.lower(), audience)
        self._sent(message, is_read=is_read)

    @rule(person=people, others=st.sets(people, max_size=3), is_read=st.booleans())
    def send_direct(self, person: str, others: set[str], is_read: bool) -> None:
        audience = frozenset({person, *others})
        to = [self.persons[each].user_id for each in audience]
        answer = self.call(
            "post",
            "/messages",
            person,
            type="direct",
            to=to,
            content="Hello",
            read_by_sender=is_read,
        )
        message = Sent(assert_success(answer)["id"], person, None, "", audience)
        self._sent(message, is_read=is_read)

    def _sent(self, message: Sent, *, is_read: bool) -> None:
        assert not self.oracle.sent or message.id > self.oracle.sent[-1].id
        self.oracle.send(message, is_read_by_sender=is_read)
        for name, _listener, expected in self.listeners:
            if name in message.audience:
                expected.append(message.id)

    @precondition(lambda self: self.oracle.sent)
    @rule(person=people, pick=picks, op=st.sampled_from(["add", "remove"]))
    def mark_one(self, person: str, pick: int, op: str) -> None:
        message = self.oracle.sent[pick % len(self.oracle.sent)]
        answer = self.call(
            "post", "/messages/flags", person, messages=[message.id], op=op, flag="read"
        )
        if not self.oracle.sees(person, message):
            assert_error(answer)
            return
        assert_success(answer)
        if op == "add":
            self.oracle.read(person, [message])
        elif self.oracle.can_be_unread(person, message):
            self.oracle.unread.setdefault(person, set()).add(message.id)

    @precondition(lambda self: self.oracle.sent)
    @rule(person=people, pick=picks)
    def mark_topic(self, person: str, pick: int) -> None:
        message = self.oracle.sent[pick % len(self.oracle.sent)]
        if message.channel is None or not self.oracle.sees(person, message):
            return
        stream_id = self.channel_ids[message.channel]
        answer = self.call(
            "post", "/mark_topic_as_read", person, stream_id=stream_id, topic_name=message.topic
        )
        assert_success(answer)
        topic = (message.channel, message.topic)
        self.oracle.read(
            person, [each for each in self.oracle.sent if (each.channel, each.topic) == topic]
        )

    @precondition(lambda self: self.oracle.kinds)
    @rule(person=people, name=channels)
    def mark_channel(self, person: str, name: str) -> None:
        if person not in self.oracle.members.get(name, ()):
            return
        stream_id = self.channel_ids[name]
        assert_success(self.call("post", "/mark_stream_as_read", person, stream_id=stream_id))
        self.oracle.read(person, [each for each in self.oracle.sent if each.channel == name])

    @rule(person=people)
    def mark_all(self, person: str) -> None:
        assert_success(self.call("post", "/mark_all_as_read", person))
        self.oracle.read(person, self.oracle.sent)

    @rule(person=people)
    def open_queue(self, person: str) -> None:
        listener = self.do(
            listen(self.client, self.persons[person], event_types=["message"], fetch_event_types=[])
        )
        self.listeners.append((person, listener, []))

    @invariant()
    def everybody_agrees(self) -> None:
        if self.persons:
            self.do(self._compare())

    async def _compare(self) -> None:
        await asyncio.gather(
            *(self._compare_reading(name) for name in self.persons),
            *(self._compare_events(listener, ids) for _name, listener, ids in self.listeners),
        )

    async def _compare_reading(self, name: str) -> None:
        person = self.persons[name]
        ids = [message.id for message in self.oracle.sent]
        by_id = await self.client.get("/messages", person, message_ids=ids)
        assert _ids(by_id) == self.oracle.visible(name)
        feed = await self.client.get(
            "/messages", person, anchor="newest", num_before=1_000, num_after=0
        )
        assert _ids(feed) == self.oracle.feed(name)
        wanted = self.oracle.unread.get(name, set())
        state = await self.client.post(
            "/register",
            person,
            event_types=[],
            fetch_event_types=["message", "update_message_flags"],
        )
        assert _unread(assert_success(state)["unread_msgs"]) == wanted
        shown_unread = {
            message["id"]
            for message in assert_success(by_id)["messages"]
            if "read" not in message["flags"]
        }
        assert shown_unread == wanted

    async def _compare_events(self, listener: Listener, expected: list[int]) -> None:
        events = await listener.new_events()
        assert [event["message"]["id"] for event in events] == expected
        expected.clear()

    @override
    def teardown(self) -> None:
        self.do(self.client.aclose())


def _ids(answer: Answer) -> list[int]:
    return [message["id"] for message in assert_success(answer)["messages"]]


def _unread(state: dict[str, Any]) -> set[int]:
    ids = [
        message_id
        for kind in ("pms", "streams", "huddles")
        for conversation in state[kind]
        for message_id in conversation["unread_message_ids"]
    ]
    assert state["count"] == len(ids) == len(set(ids))
    return set(ids)
