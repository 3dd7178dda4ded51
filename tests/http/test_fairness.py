"""Requests whose caller or channel changes all the time are still carried out."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from chatapi.auth.context import RealmContext
from chatapi.auth.guards import LoggedIn, MaybeAnonymous
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.settings import Settings
from chatapi.db.session import DatabaseSession
from chatapi.features.channels.subscriptions.writer import SubscriptionWriter
from chatapi.features.messages.rules import MANY
from chatapi.http.route import MAX_ATTEMPTS, MAX_RESTARTS, FeatureRouter
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe, unsubscribe
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.sample_events import RealmTouched, commit_events
from tests.support.statements import recorded_statements
from tests.support.waiting import MAX_WAIT_SECONDS, until

SENDERS = 4
SENDS_EACH = 5
CHANGES_PER_SEND = 20
"""Disturbing writers get turns, but not hundreds for each send: long texts are rendered by another
process, which has to wait for its turn on a busy machine."""
LONG_TEXT = "word **bold** `code` " * 60

Change = Callable[[], Awaitable[Any]]


@dataclass
class Attempts:
    """Counts how often the requests of a test were started."""

    locked: list[bool] = field(default_factory=list)
    """For each attempt, whether the realm was locked before it."""

    async def begin(self, ctx: RealmContext) -> None:
        """Change the realm at every moment in which that is possible."""
        self.locked.append(ctx.db.was_locked_first)
        if not ctx.db.was_locked_first:
            await commit_events(ctx.runtime, ctx.realm, RealmTouched())


def routes_of(attempts: Attempts) -> FeatureRouter:
    router = FeatureRouter("Tests")

    @router.post("/test/write")
    async def write(ctx: LoggedIn) -> None:
        """Checks permissions first, and then locks."""
        await attempts.begin(ctx)
        await ctx.lock()

    @router.get("/test/read")
    async def read(ctx: MaybeAnonymous) -> None:
        """Reads statement by statement."""
        await attempts.begin(ctx)

    @router.get("/test/snapshot")
    async def snapshot(ctx: LoggedIn) -> None:
        """Reads from one snapshot."""
        await attempts.begin(ctx)
        await ctx.snapshot()

    @router.post("/test/slow")
    async def slow(ctx: LoggedIn) -> None:
        """Does slow work without the lock before it writes."""
        await ctx.db.close()
        await attempts.begin(ctx)
        await ctx.lock()

    return router


@pytest.fixture
def attempts() -> Attempts:
    return Attempts()


@pytest.fixture
def extra_routes(attempts: Attempts) -> tuple[FeatureRouter, ...]:
    return (routes_of(attempts),)


class TestRestarts:
    async def test_write_with_a_stale_caller_locks_first_when_restarted(
        self, client: ApiClient, member: Person, attempts: Attempts
    ) -> None:
        assert_success(await client.post("/test/write", member))
        assert attempts.locked == [False, True]

    @pytest.mark.parametrize("path", ["/test/read", "/test/snapshot"])
    async def test_read_with_a_stale_caller_locks_first_after_several_restarts(
        self, client: ApiClient, member: Person, attempts: Attempts, path: str
    ) -> None:
        assert_success(await client.get(path, member))
        assert attempts.locked == [False] * (MAX_RESTARTS + 1) + [True]

    async def test_anonymous_read_locks_first_after_as_many_restarts(
        self, client: ApiClient, realm: RealmRecord, attempts: Attempts
    ) -> None:
        assert_success(await client.get("/test/read"))
        assert attempts.locked == [False] * (MAX_RESTARTS + 1) + [True]

    @pytest.mark.any_database
    async def test_request_that_stays_stale_ends_in_503(
        self, client: ApiClient, member: Person, attempts: Attempts
    ) -> None:
        assert_error(await client.post("/test/slow", member), "SERVICE_UNAVAILABLE", 503)
        assert len(attempts.locked) == MAX_ATTEMPTS + 1

    async def test_nothing_stays_locked(self, client: ApiClient, member: Person) -> None:
        assert_success(await client.get("/test/snapshot", member))
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            assert_success(await client.patch("/settings", member, web_font_size_px=20))


class TestLimits:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"rate_limits": "on", "requests_per_minute": 100})

    @pytest.mark.any_database
    async def test_restarts_do_not_count_towards_the_rate_limit(
        self, client: ApiClient, member: Person, attempts: Attempts
    ) -> None:
        response = await client.get("/test/read", member)
        assert len(attempts.locked) > 1
        assert response.headers["x-ratelimit-remaining"] == "99"


class TestOneConnection:
    """A request that locks first needs no second connection."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"database_pool_size": 1})

    @pytest.mark.any_database
    @pytest.mark.parametrize("path", ["/test/read", "/test/snapshot"])
    async def test_is_enough_for_all_requests(
        self, client: ApiClient, make_user: MakeUser, path: str
    ) -> None:
        people = [await make_user() for _ in range(3)]
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            responses = await asyncio.gather(*(client.get(path, person) for person in people))
        for response in responses:
            assert_success(response)


class TestOtherOrganization:
    @pytest.mark.any_database
    async def test_change_in_another_realm_makes_no_caller_stale(
        self, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        elsewhere = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        async with DatabaseSession(runtime.database) as db:
            here = await runtime.callers.of_user(db, realm.id, member.user_id)
        await commit_events(runtime, elsewhere, RealmTouched())
        assert not here.is_stale
        await commit_events(runtime, realm, RealmTouched())
        assert here.is_stale


@asynccontextmanager
async def disturbed(*changes: Change) -> AsyncIterator[list[None]]:
    """Repeat each change as fast as the service lets one client do it."""
    made: list[None] = []

    async def go_on(change: Change) -> None:
        while True:
            await change()
            made.append(None)

    tasks = [asyncio.create_task(go_on(change)) for change in changes]
    try:
        yield made
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def send_all(client: ApiClient, senders: list[Person], channel: str, text: str) -> int:
    """Let all of them send one message after the other; return how many they sent."""

    async def send(sender: Person) -> None:
        for number in range(SENDS_EACH):
            message = {"type": "channel", "to": channel, "topic": "talk"}
            response = await client.post("/messages", sender, **message, content=f"{number} {text}")
            assert_success(response)

    await asyncio.gather(*map(send, senders))
    return SENDS_EACH * len(senders)


@pytest.mark.parametrize("text", ["hello", LONG_TEXT], ids=["short", "long"])
class TestSending:
    async def test_goes_on_while_members_join_and_leave(
        self, client: ApiClient, make_user: MakeUser, make_channel: MakeChannel, text: str
    ) -> None:
        senders = [await make_user() for _ in range(SENDERS)]
        restless = [await make_user() for _ in range(2)]
        await make_channel("busy", subscribers=senders)

        def change(person: Person) -> Change:
            async def join_and_leave() -> None:
                assert_success(await subscribe(client, person, "busy"))
                assert_success(await unsubscribe(client, person, "busy"))

            return join_and_leave

        async with asyncio.timeout(MAX_WAIT_SECONDS), disturbed(*map(change, restless)) as changes:
            sent = await send_all(client, senders, "busy", text)
        assert 2 * len(changes) <= CHANGES_PER_SEND * sent

    async def test_goes_on_while_the_organization_changes(
        self,
        client: ApiClient,
        owner: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
        text: str,
    ) -> None:
        senders = [await make_user() for _ in range(SENDERS)]
        await make_channel("busy", subscribers=senders)
        numbers = count()

        async def rename() -> None:
            await change_realm(client, owner, name=f"Acme {next(numbers)}")

        async with asyncio.timeout(MAX_WAIT_SECONDS), disturbed(rename) as changes:
            sent = await send_all(client, senders, "busy", text)
        assert len(changes) <= CHANGES_PER_SEND * sent


async def send(client: ApiClient, sender: Person, channel: str, text: str = "hello") -> ApiResponse:
    message = {"type": "channel", "to": channel, "topic": "talk", "content": text}
    return await client.post("/messages", sender, **message)


class TestSendingBesideAJoin:
    """Who is subscribed to a channel does not matter to those who send messages there."""

    async def send_while_joining(
        self,
        client: ApiClient,
        runtime: Runtime,
        sender: Person,
        channel: ChannelRecord,
        joining: Person,
        text: str,
    ) -> ApiResponse:
        """Send a message that is checked before a user joins, and written after it."""
        turn = runtime.database.writer_turn(channel.realm_id)
        async with realm_transaction(runtime, channel.realm_id) as ctx:
            sending = asyncio.create_task(send(client, sender, channel.name, text))
            await until(lambda: turn.waiting == 1)
            assert await SubscriptionWriter(ctx).add([joining.user_id], [channel])
        return await sending

    @pytest.mark.any_database
    async def test_sends_neither_start_over_nor_read_the_channel_again(
        self, client: ApiClient, runtime: Runtime, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        sender, joining = await make_user(), await make_user()
        channel = await make_channel("busy", subscribers=[sender])
        assert_success(await send(client, sender, "busy"))
        with recorded_statements(runtime.database, "channel.name_key =") as lookups:
            assert_success(
                await self.send_while_joining(client, runtime, sender, channel, joining, "hello")
            )
            assert_success(await unsubscribe(client, joining, "busy"))
            assert_success(await send(client, sender, "busy"))
        assert lookups == []

    @pytest.mark.any_database
    async def test_wildcard_mention_is_checked_again_with_the_new_number_of_subscribers(
        self, client: ApiClient, runtime: Runtime, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        people = [await make_user() for _ in range(MANY + 1)]
        channel = await make_channel("busy", subscribers=people[:MANY])
        text = "@**all** hello"
        assert_success(await send(client, people[0], "busy", text))
        refused = await self.send_while_joining(
            client, runtime, people[0], channel, people[-1], text
        )
        assert_error(refused, "STREAM_WILDCARD_MENTION_NOT_ALLOWED")

    async def test_sends_wait_for_one_of_several_waiting_joins_at_most(
        self, client: ApiClient, runtime: Runtime, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        sender, *restless = [await make_user() for _ in range(4)]
        channel = await make_channel("busy", subscribers=[sender])
        assert_success(await send(client, sender, "busy"))
        turn = runtime.database.writer_turn(channel.realm_id)
        done: list[str] = []

        async def note(name: str, request: Awaitable[ApiResponse]) -> None:
            assert_success(await request)
            done.append(name)

        tasks = []
        async with DatabaseSession(runtime.database, is_batch=True) as blocker:
            await blocker.lock_realm(channel.realm_id)
            for person in restless:
                tasks.append(asyncio.create_task(note("join", subscribe(client, person, "busy"))))
                await until(lambda: turn.waiting == len(tasks))
            tasks.append(asyncio.create_task(note("send", send(client, sender, "busy"))))
            await until(lambda: turn.waiting == len(tasks))
        await asyncio.gather(*tasks)
        assert done.index("send") <= 1
