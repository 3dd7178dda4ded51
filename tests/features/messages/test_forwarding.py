"""Messages that one process accepts and another one, the leader of the realm, writes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from redis.asyncio import Redis
from sqlalchemy import func, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.ids import RealmId
from chatapi.core.settings import Settings
from chatapi.db.models import Message, StoredResponseRow
from chatapi.events import realm_leaders
from chatapi.events.write_forwarding import JsonObject
from chatapi.jobs.periodic_jobs import delete_expired_responses
from chatapi.main import ChatApp
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.temporary_valkey import TemporaryValkey
from tests.support.waiting import until, until_true

MESSAGES = "messages"


@pytest.fixture
async def valkey(valkey_server: TemporaryValkey) -> TemporaryValkey:
    async with Redis.from_url(valkey_server.url) as redis:
        # The realms of tests have the same id, and so have their leases.
        await redis.flushdb()
    return valkey_server


@pytest.fixture(autouse=True)
def _long_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, a process that renders for long would forget the leader meanwhile."""
    monkeypatch.setattr(realm_leaders, "_LEASE_SECONDS", 600)


@pytest.fixture
def settings(settings: Settings, valkey: TemporaryValkey) -> Settings:
    return settings.model_copy(update={"redis_url": valkey.url})


@dataclass(frozen=True)
class Pair:
    """Two processes; messages that the follower accepts are written by the leader."""

    leader: ChatApp
    leader_client: ApiClient
    follower: ChatApp
    follower_client: ApiClient
    realm: RealmRecord

    async def follow(self) -> None:
        """Make the follower forward its messages."""
        peers = self.leader.runtime.write_forwarder._peers

        async def leads() -> bool:
            return await peers.claim(self.realm.id, 600) == peers.process_id

        await until_true(leads)
        forwarder = self.follower.runtime.write_forwarder

        def is_following() -> bool:
            forwarder.note_competition(self.realm.id)
            return forwarder.has_other_leader(self.realm.id)

        await until(is_following)

    async def send(self, sender: Person, **message: object) -> ApiResponse:
        """Send a message that is forwarded."""
        await self.follow()
        return await self.follower_client.post("/messages", sender, **message)

    async def count_forwarded(self) -> int:
        """How many of the messages were forwarded: only these have such a key."""
        statement = select(func.count()).where(StoredResponseRow.key.startswith("forwarded:"))
        async with self.leader.runtime.reading() as db:
            return (await db.execute(statement)).scalar_one()

    async def count_messages(self, content: str = "Hello") -> int:
        statement = select(func.count()).where(Message.content == content)
        async with self.leader.runtime.reading() as db:
            return (await db.execute(statement)).scalar_one()


@pytest.fixture
async def pair(
    app: ChatApp, client: ApiClient, start_app: StartApp, realm: RealmRecord
) -> AsyncIterator[Pair]:
    follower = await start_app()
    follower_client = ApiClient(follower)
    yield Pair(app, client, follower, follower_client, realm)
    await follower_client.aclose()


def without_identity(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "id": None, "timestamp": None}


async def test_response_and_event_are_those_of_a_message_written_here(
    pair: Pair, make_channel: MakeChannel, owner: Person
) -> None:
    channel = await make_channel("general", subscribers=[owner])
    hello = {"type": "channel", "to": channel.id, "topic": "greetings", "content": "Hello"}
    assert_success(await pair.leader_client.post("/messages", owner, **hello))
    listeners = [
        await listen(client, owner, event_types=["message"])
        for client in (pair.leader_client, pair.follower_client)
    ]
    sent = assert_success(await pair.send(owner, **hello))
    assert await pair.count_forwarded() == 1
    here = assert_success(await pair.leader_client.post("/messages", owner, **hello))
    assert sent.keys() == here.keys()
    assert sent["message_url"].replace(str(sent["id"]), str(here["id"])) == here["message_url"]
    for listener in listeners:
        first, second = [event["message"] for event in await listener.new_events()]
        assert [first["id"], second["id"]] == [sent["id"], here["id"]]
        assert without_identity(first) == without_identity(second)


@pytest.mark.any_database
@pytest.mark.parametrize(
    "content",
    [
        "Hello",
        "Hello @**{name}**, look at #**general>greetings** and https://example.com/",
        "/me waves",
        "/poll Lunch?\nyes\nno",
        "Hello @_**{name}** and @**topic**",
        "```python\nprint(1)\n```",
    ],
)
async def test_message_is_the_same_as_one_written_here(
    pair: Pair, make_channel: MakeChannel, owner: Person, make_user: MakeUser, content: str
) -> None:
    somebody = await make_user(full_name="Somebody Else")
    channel = await make_channel("general", subscribers=[owner, somebody])
    place = {"type": "channel", "to": channel.id, "topic": "greetings"}
    text = content.format(name="Somebody Else")
    sent = assert_success(await pair.send(owner, **place, content=text))
    assert await pair.count_forwarded() == 1
    here = assert_success(await pair.leader_client.post("/messages", owner, **place, content=text))
    for reader in (owner, somebody):
        messages = [
            assert_success(await pair.leader_client.get(f"/messages/{each['id']}", reader))
            for each in (sent, here)
        ]
        shown = [without_identity(each["message"]) for each in messages]
        for each in shown:
            each["submessages"] = [
                {**part, "id": None, "message_id": None} for part in each["submessages"]
            ]
        assert shown[0] == shown[1]


async def test_direct_message_is_forwarded(pair: Pair, owner: Person, member: Person) -> None:
    reader = await listen(pair.follower_client, member, event_types=["message"])
    message = {"type": "direct", "to": [member.user_id], "content": "Hello"}
    sent = assert_success(await pair.send(owner, **message))
    assert await pair.count_forwarded() == 1
    [event] = await reader.new_events()
    assert event["message"]["id"] == sent["id"]
    assert {person["id"] for person in event["message"]["display_recipient"]} == {
        owner.user_id,
        member.user_id,
    }


async def test_sending_client_gets_its_local_id(pair: Pair, owner: Person) -> None:
    sender = await listen(pair.follower_client, owner, event_types=["message"])
    named = {"queue_id": sender.queue_id, "local_id": "12.01"}
    note = {"type": "direct", "to": [owner.user_id], "content": "Note", **named}
    first = assert_success(await pair.send(owner, **note))
    again = assert_success(await pair.send(owner, **note))
    assert first["id"] == again["id"]
    [event] = await sender.new_events()
    assert event["local_message_id"] == "12.01"


async def test_refusal_of_the_leader_reaches_the_client(
    pair: Pair, make_channel: MakeChannel, owner: Person, member: Person
) -> None:
    channel = await make_channel("general", subscribers=[owner, member])
    assert_success(
        await pair.leader_client.patch(
            f"/streams/{channel.id}",
            owner,
            can_create_topic_group={"new": {"direct_members": [], "direct_subgroups": []}},
        )
    )
    hello = {"type": "channel", "to": channel.id, "topic": "new", "content": "Hello"}
    response = await pair.send(member, **hello)
    assert_error(response, "BAD_REQUEST")
    assert response["msg"] == "You do not have permission to start new topics in general."
    assert await pair.count_messages() == 0


class TestChangesMeanwhile:
    """What the follower has checked no longer holds when the leader gets the message."""

    async def test_sender_who_was_deactivated_is_refused(
        self, pair: Pair, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[owner, member])
        before_writing(pair, lambda: pair.leader_client.delete(f"/users/{member.user_id}", owner))
        hello = {"type": "channel", "to": channel.id, "topic": "greetings", "content": "Hello"}
        assert_error(await pair.send(member, **hello), "UNAUTHORIZED", status=401)
        assert await pair.count_messages() == 0

    async def test_channel_that_was_archived_is_refused(
        self, pair: Pair, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[owner, member])
        before_writing(
            pair,
            lambda: pair.leader_client.delete(f"/streams/{channel.id}", owner),
        )
        hello = {"type": "channel", "to": channel.id, "topic": "greetings", "content": "Hello"}
        assert_error(await pair.send(member, **hello), "BAD_REQUEST")

    async def test_channel_that_was_renamed_has_its_new_name(
        self, pair: Pair, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[owner])
        before_writing(
            pair,
            lambda: pair.leader_client.patch(f"/streams/{channel.id}", owner, new_name="renamed"),
        )
        hello = {"type": "channel", "to": channel.id, "topic": "greetings", "content": "Hello"}
        sent = assert_success(await pair.send(owner, **hello))
        assert "renamed" in sent["message_url"]


class TestUnknownOutcome:
    """The leader is lost while it has the message: it is written once all the same."""

    @pytest.fixture
    async def hello(self, make_channel: MakeChannel, owner: Person) -> dict[str, object]:
        channel = await make_channel("general", subscribers=[owner])
        return {"type": "channel", "to": channel.id, "topic": "greetings", "content": "Hello"}

    async def test_leader_lost_before_it_writes(
        self, pair: Pair, owner: Person, hello: dict[str, object]
    ) -> None:
        async def lose(write: Write, realm_id: RealmId, items: Items) -> list[JsonObject]:
            del write, realm_id, items
            raise ConnectionAbortedError

        replace_writing(pair, lose)
        assert_success(await pair.send(owner, **hello))
        assert await pair.count_messages() == 1

    async def test_leader_lost_after_it_wrote(
        self, pair: Pair, owner: Person, hello: dict[str, object]
    ) -> None:
        written: list[JsonObject] = []

        async def write_and_lose(write: Write, realm_id: RealmId, items: Items) -> list[JsonObject]:
            written.extend(await write(realm_id, items))
            raise ConnectionAbortedError

        replace_writing(pair, write_and_lose)
        sent = assert_success(await pair.send(owner, **hello))
        assert written[0]["sent"]["id"] == sent["id"]
        assert await pair.count_messages() == 1

    async def test_leader_that_writes_late(
        self, pair: Pair, owner: Person, hello: dict[str, object]
    ) -> None:
        late: list[Callable[[], Awaitable[Sequence[JsonObject]]]] = []

        async def hesitate(write: Write, realm_id: RealmId, items: Items) -> list[JsonObject]:
            late.append(lambda: write(realm_id, items))
            raise ConnectionAbortedError

        replace_writing(pair, hesitate)
        assert_success(await pair.send(owner, **hello))
        await late[0]()
        assert await pair.count_messages() == 1

    async def test_channel_changed_after_the_lost_leader_wrote(
        self, pair: Pair, owner: Person, hello: dict[str, object]
    ) -> None:
        """The message would have to start over, if it had not been written."""

        async def write_and_lose(write: Write, realm_id: RealmId, items: Items) -> list[JsonObject]:
            await write(realm_id, items)
            change = await pair.leader_client.patch(
                f"/streams/{hello['to']}", owner, description="Other"
            )
            assert_success(change)
            raise ConnectionAbortedError

        replace_writing(pair, write_and_lose)
        assert_success(await pair.send(owner, **hello))
        assert await pair.count_messages() == 1


async def test_processes_that_compete_elect_a_leader(
    pair: Pair, make_channel: MakeChannel, owner: Person
) -> None:
    channel = await make_channel("general", subscribers=[owner])
    hello = {"type": "channel", "to": channel.id, "topic": "greetings", "content": "Hello"}
    clients = pair.leader_client, pair.follower_client
    sent: list[int] = []

    async def has_forwarded() -> bool:
        responses = await asyncio.gather(
            *(client.post("/messages", owner, **hello) for client in clients * 3)
        )
        sent.extend(assert_success(response)["id"] for response in responses)
        return await pair.count_forwarded() > 0

    await until_true(has_forwarded)
    assert len(set(sent)) == len(sent) == await pair.count_messages()


async def test_keys_of_forwarded_messages_are_deleted_soon(
    pair: Pair, owner: Person, member: Person, clock: MovableClock
) -> None:
    note = {"type": "direct", "to": [member.user_id], "content": "Note"}
    assert_success(await pair.send(owner, **note))
    named = {"queue_id": "queue", "local_id": "1"}
    assert_success(await pair.send(owner, **note, **named))
    clock.advance(minutes=11)
    await delete_expired_responses(pair.leader.runtime)
    assert await pair.count_forwarded() == 0
    assert_success(await pair.send(owner, **note, **named))
    assert await pair.count_messages("Note") == 2


Items = Sequence[JsonObject]
Write = Callable[[RealmId, Items], Awaitable[Sequence[JsonObject]]]


def replace_writing(
    pair: Pair, replacement: Callable[[Write, RealmId, Items], Awaitable[Sequence[JsonObject]]]
) -> None:
    """Let the leader do something else with the messages that it gets."""
    forwarder = pair.leader.runtime.write_forwarder
    write = forwarder._writers[MESSAGES]

    async def write_otherwise(realm_id: RealmId, items: Items) -> Sequence[JsonObject]:
        return await replacement(write, realm_id, items)

    forwarder.accept(MESSAGES, write_otherwise)


def before_writing(pair: Pair, change: Callable[[], Awaitable[ApiResponse]]) -> None:
    """Let something change before the leader looks at the first message."""
    changed = False

    async def change_and_write(write: Write, realm_id: RealmId, items: Items) -> list[JsonObject]:
        nonlocal changed
        if not changed:
            changed = True
            assert_success(await change())
        return list(await write(realm_id, items))

    replace_writing(pair, change_and_write)
