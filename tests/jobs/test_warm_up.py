"""What a process does after its start, so that the first requests need not."""

from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.db.base import Base
from chatapi.features.messages import find_recent_send
from chatapi.jobs.warm_up import warm_up
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.fetch.conversations import send, send_direct
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.log_lines import collected_log
from tests.support.responses import assert_success
from tests.support.statements import (
    forget_compiled,
    interrupted_statement,
    recorded_statements,
    statements_under_lock,
)

FINDS_RECENT = "JOIN conversation ON"
ADDS_MESSAGE = "message (id, realm_id, "


@pytest.fixture
async def channel(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel(subscribers=[owner, member])


@pytest.fixture(autouse=True)
async def first_message(client: ApiClient, member: Person, channel: ChannelRecord) -> MessageId:
    """A member has just written in a channel."""
    return await send(client, member, channel)


async def all_rows(runtime: Runtime) -> dict[str, list[Any]]:
    """Everything that is stored, by table."""
    async with runtime.reading() as db:
        return {
            name: sorted((await db.execute(select(*table.columns))).all(), key=repr)
            for name, table in Base.metadata.tables.items()
        }


class TestNoTrace:
    async def test_nothing_is_stored_nor_sent_to_clients(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        channel: ChannelRecord,
    ) -> None:
        listener = await listen(client, owner)
        before = await all_rows(runtime)
        with recorded_statements(runtime.database, ADDS_MESSAGE) as statements:
            await warm_up(runtime)
        assert statements, "no message was written in the dry run"
        assert await all_rows(runtime) == before
        await send(client, member, channel, content="The next one")
        [event] = [each for each in await listener.new_events() if each["type"] == "message"]
        assert event["message"]["content"] == "The next one"

    async def test_topic_can_be_written_to_afterwards(
        self, client: ApiClient, runtime: Runtime, member: Person, channel: ChannelRecord
    ) -> None:
        await warm_up(runtime)
        first, second = [await send(client, member, channel) for _ in range(2)]
        assert second > first


class TestFirstRequests:
    async def test_statements_of_a_send_are_compiled_before(
        self, start_app: StartApp, member: Person, channel: ChannelRecord
    ) -> None:
        app = await start_app()
        database = app.runtime.database
        forget_compiled(database)
        await warm_up(app.runtime)
        client = ApiClient(app)
        with (
            statements_under_lock(database) as statements,
            statements_under_lock(database, only_new=True) as compiled,
        ):
            await send(client, member, channel)
        assert statements
        assert not compiled
        await client.aclose()

    async def test_statements_of_the_state_have_run_before(
        self, start_app: StartApp, member: Person
    ) -> None:
        app = await start_app()
        database = app.runtime.database
        with recorded_statements(database, "FROM") as before:
            await warm_up(app.runtime)
        client = ApiClient(app)
        assert_success(await client.get("/users/me", member))
        with recorded_statements(database, "FROM") as statements:
            assert_success(await client.post("/register", member))
        # All but the one that stores the new queue.
        of_state = {each for each in statements if "event_queue" not in each}
        assert of_state
        assert of_state <= set(before)
        await client.aclose()


class TestWhoIsActedFor:
    async def test_person_who_wrote_last_in_a_channel(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        channel: ChannelRecord,
    ) -> None:
        await send(client, owner, channel, topic="plans")
        await send_direct(client, member, owner)
        async with runtime.reading() as db:
            recent = await find_recent_send(db)
        assert recent is not None
        assert (recent.realm_id, recent.user_id) == (realm.id, owner.user_id)
        assert recent.topic == "plans"

    async def test_no_bot_and_no_deactivated_user(
        self,
        client: ApiClient,
        runtime: Runtime,
        make_user: MakeUser,
        owner: Person,
        member: Person,
        channel: ChannelRecord,
    ) -> None:
        bot = await make_user(bot_owner=owner)
        await send(client, bot, channel)
        assert_success(await client.delete(f"/users/{member.user_id}", owner))
        async with runtime.reading() as db:
            assert await find_recent_send(db) is None


class TestFailures:
    async def test_sender_who_lost_access_is_no_failure(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        channel: ChannelRecord,
    ) -> None:
        left = [channel.name]
        assert_success(await client.patch(f"/streams/{channel.id}", owner, is_private=True))
        assert_success(await client.delete("/users/me/subscriptions", member, subscriptions=left))
        with collected_log() as log, recorded_statements(runtime.database, ADDS_MESSAGE) as writes:
            await warm_up(runtime)
        assert not log
        assert not writes

    @pytest.mark.parametrize(
        ("error", "is_logged"), [(RuntimeError("broken"), True), (ConnectionResetError(), False)]
    )
    async def test_is_logged_unless_the_database_is_unavailable(
        self, runtime: Runtime, error: Exception, is_logged: bool
    ) -> None:
        async def fail() -> None:
            raise error

        with (
            collected_log() as log,
            interrupted_statement(runtime.database, FINDS_RECENT, fail, moment="before"),
        ):
            await warm_up(runtime)
        assert [entry["event"] for entry in log] == (["job_failed"] if is_logged else [])
