"""What every step of a history needs: users, a client, and observed queues."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from random import Random
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine
from typing_extensions import override

from chatapi.core.ids import RealmId
from chatapi.core.roles import Role
from tests.factories import Person, make_realm, make_user
from tests.model.oracle import Oracle, Place, Sent
from tests.model.processes import Processes
from tests.support.client import ApiClient
from tests.support.listening import Listener
from tests.support.responses import ApiResponse, assert_success

T = TypeVar("T")
Told = tuple[object, ...]
"""An event, as far as it is compared."""

ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMIN,
    "member": Role.MEMBER,
    "guest": Role.GUEST,
}
CHANNELS = ("c1", "c2", "c3", "c4")
TOPICS = ("t1", "T1", "t2", "✔ t1", "")
WORDS = ("alpha", "beta", "gamma")
HOST = "org.localhost"
SERVICE = "service"
"""The sender of the service's own notices."""

people = st.sampled_from(sorted(ROLES))
channels = st.integers(0, len(CHANNELS) - 1)
topics = st.sampled_from(TOPICS)
words = st.sampled_from(WORDS)
picks = st.integers(0, 3) | st.integers(0, 30)
"""Often the same few messages, so that much happens to them."""


@dataclass
class ObservedQueue:
    """A user's queue, and the events expected in it."""

    person: str
    listener: Listener
    takes_many: bool
    """Whether it gets one event about several deleted messages."""
    is_patient: bool
    """Whether it polls only now and then, when messages may have changed again."""
    expected: list[Told] = field(default_factory=list)


class World(RuleBasedStateMachine):
    """One realm of a running service, and the oracle's copy of it."""

    processes: ClassVar[Processes]
    """Any of them serves any request."""
    loop: ClassVar[asyncio.AbstractEventLoop]

    def __init__(self) -> None:
        super().__init__()
        self.oracle = Oracle(
            guests={"guest"}, admins={"owner", "admin"}, unread={name: set() for name in ROLES}
        )
        self.oracle.starred = {name: set() for name in ROLES}
        self.persons: dict[str, Person] = {}
        self.ears: list[ObservedQueue] = []
        self.channel_ids: dict[str, int] = {}
        self.places: list[Place] = []
        """The conversations that changed, the latest last."""
        self.is_compared = True
        """Whether nothing has changed since everything was compared."""
        self.realm_id = RealmId(0)
        self.clients = self.processes.clients(HOST)
        self.chance = Random(1)

    @property
    def client(self) -> ApiClient:
        """A client of any of the processes, another one each time."""
        return self.chance.choice(self.clients)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=300)

    def call(self, method: str, path: str, person: str, **params: object) -> ApiResponse:
        caller = getattr(self.client, method)
        answer: ApiResponse = self.do(caller(path, self.persons[person], **params))
        if answer.status == HTTPStatus.OK:
            # A refusal that leaves a trace is found after the next step.
            self.is_compared = False
        return answer

    async def begin(self) -> None:
        self.realm_id, self.persons = await self.processes.begin("world", _make_realms)

    async def poll(self, listener: Listener) -> list[dict[str, Any]]:
        """Poll all events so far, through any of the processes."""
        number = self.chance.randrange(len(self.processes))
        listener.client = self.clients[number]
        if len(self.processes) > 1:
            # Otherwise, what another process wrote comes as soon as the bus has brought it.
            runtime = self.processes.apps[number].runtime
            await runtime.clock_reader.catch_up(self.realm_id)
        return await listener.new_events()

    def channel(self, number: int) -> str:
        """One of the channels there are."""
        return CHANNELS[number % len(self.oracle.kinds)]

    def pick(self, pick: int) -> Sent:
        """One of the messages."""
        sent = self.oracle.sent
        return sent[pick % len(sent)]

    def tell(self, to: Iterable[str], told: Told) -> None:
        self.tell_each(lambda person: told if person in to else None)

    def tell_each(self, told_to: Callable[[str], Told | None]) -> None:
        for observed in self.ears:
            told = told_to(observed.person)
            if told is not None:
                observed.expected.append(told)

    def tell_deletion(self, deleted: list[Sent], to: Iterable[str]) -> None:
        """Each user is expected to get a deletion of the messages they could see."""
        for observed in self.ears:
            ids = [each.id for each in deleted if self.oracle.reaches(observed.person, each)]
            if observed.person not in to or not ids:
                continue
            parts = [ids] if observed.takes_many else [[each] for each in ids]
            observed.expected += [("delete", part, self.where(deleted[0])) for part in parts]

    def tell_sent(self, message: Sent, *, is_read: bool) -> None:
        assert message.id > self.oracle.newest
        self.oracle.send(message, is_read_by_sender=is_read)
        self.tell(message.audience, ("message", message.id, message.text, self.where(message)))
        self.happened_in(message)

    def happened_in(self, message: Sent) -> None:
        if message.place is not None:
            self.places.append(message.place)

    def where(self, message: Sent) -> tuple[int, str] | None:
        """A conversation in the terms of the wire protocol."""
        if message.channel is None:
            return None
        return self.channel_ids[message.channel], message.topic

    def learn_notices(self) -> None:
        """Add the service's own notices to the oracle; the owner sees all channels.

        To the oracle, these are messages like others.
        """
        answer = self.call(
            "get",
            "/messages",
            "owner",
            anchor=self.oracle.newest,
            num_before=0,
            num_after=10,
            apply_markdown=False,
            allow_empty_topic_name=True,
            include_anchor=False,
        )
        names = {number: name for name, number in self.channel_ids.items()}
        for notice in assert_success(answer)["messages"]:
            assert notice["sender_id"] not in {each.user_id for each in self.persons.values()}
            channel = names[notice["stream_id"]]
            audience = frozenset(self.oracle.members[channel])
            topic = self.oracle.spelled(channel, notice["subject"])
            message = Sent(notice["id"], SERVICE, channel, topic, audience, notice["content"])
            self.tell_sent(message, is_read=False)
            self.check_discretion(message)

    def check_discretion(self, notice: Sent) -> None:
        """Check that a notice names no other private channel."""
        for name, kind in self.oracle.kinds.items():
            is_private = kind in {"private", "protected"}
            assert not (is_private and name != notice.channel and f"**{name}" in notice.text)

    @override
    def teardown(self) -> None:
        for client in self.clients:
            self.do(client.aclose())


async def _make_realms(processes: Processes) -> tuple[RealmId, dict[str, Person]]:
    """Two realms alike, so that anything of the other one that is seen is one thing too many.

    Returns the second one, which is at `HOST`, and its users.
    """
    runtime = processes.apps[0].runtime
    realms = [await make_realm(runtime, "Org", subdomain) for subdomain in ("other", "org")]
    persons: dict[str, Person] = {}
    for realm in realms:
        for name, role in ROLES.items():
            email = f"{name}@example.com"
            persons[name] = await make_user(runtime, realm, role, full_name=name, email=email)
        client = processes.clients(f"{realm.subdomain}.localhost")[0]
        opened = {"enable_spectator_access": True}
        assert_success(await client.patch("/realm", persons["owner"], **opened))
        await client.aclose()
    return realms[-1].id, persons
