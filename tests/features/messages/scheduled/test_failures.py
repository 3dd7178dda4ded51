"""Scheduled messages that cannot be sent when they are due."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import select, text, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.system_groups import SystemGroup
from chatapi.db.database import Database
from chatapi.db.models import ScheduledMessage
from chatapi.db.session import DatabaseSession
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import unnamed, unsubscribe
from tests.features.messages.fetch.conversations import ids_read, send
from tests.features.messages.scheduled.scheduling import (
    contents_read,
    notices_of,
    pass_an_hour,
    schedule,
    scheduled_of,
    to_channel,
    to_people,
)
from tests.features.realm.settings import allow
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_success


class TestFailing:
    async def test_emits_an_event_and_does_not_block_others(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        first = await schedule(client, member, to_people(owner), at, content="first")
        doomed = await schedule(client, member, to_channel(channel), at, content="doomed")
        last = await schedule(client, member, to_people(owner), at, content="last")
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        listener = await listen(client, member, event_types=["scheduled_messages", "message"])
        theirs = await listen(client, owner, event_types=["scheduled_messages"])
        await pass_an_hour(runtime, clock)
        sent = [text for text in await contents_read(client, owner) if text in {"first", "last"}]
        assert sent == ["first", "last"]
        [shown] = await scheduled_of(client, member)
        assert (shown["scheduled_message_id"], shown["failed"]) == (doomed, True)
        events = await listener.new_events()
        [updated] = [event for event in events if event.get("op") == "update"]
        assert updated["scheduled_message"] == shown
        removed = [event for event in events if event.get("op") == "remove"]
        assert [event["scheduled_message_id"] for event in removed] == [first, last]
        [notice] = await notices_of(client, member)
        assert f"<time:{at}> could not be sent" in notice["content"]
        assert "Not authorized to send to channel 'general': it is archived" in notice["content"]
        assert "mentioned" not in notice["flags"]
        assert await theirs.new_events() == []
        assert await notices_of(client, owner) == []
        await pass_an_hour(runtime, clock)
        assert len(await notices_of(client, member)) == 1

    @pytest.mark.any_database
    async def test_when_the_sender_is_deactivated(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        await schedule(client, member, to_channel(channel), at)
        await deactivate(runtime, realm, member)
        await pass_an_hour(runtime, clock)
        assert await ids_read(client, owner) == []
        assert await failures(runtime.database) == ["Your account is deactivated."]

    async def test_when_the_recipient_is_deactivated(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        make_user: MakeUser,
        member: Person,
        at: int,
    ) -> None:
        friend = await make_user()
        await schedule(client, member, to_people(friend), at)
        await deactivate(runtime, realm, friend)
        await pass_an_hour(runtime, clock)
        [failure] = await failures(runtime.database)
        assert failure == f"The account of {friend.full_name} is deactivated"
        assert len(await notices_of(client, member)) == 1

    @pytest.mark.any_database
    async def test_when_the_permission_is_lost(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        team = await make_channel("team", subscribers=[owner, member], invite_only=True)
        news = await make_channel("news", subscribers=[owner, member])
        await schedule(client, member, to_channel(team), at)
        await schedule(client, member, to_channel(news), at)
        await schedule(client, member, to_channel(news, "unheard of"), at)
        await schedule(client, member, to_people(owner), at)
        await send(client, member, news)
        assert_success(await unsubscribe(client, member, "team"))
        response = await client.patch(
            f"/streams/{news.id}", owner, can_create_topic_group={"new": unnamed()}
        )
        assert_success(response)
        await allow(client, owner, realm, direct_message_permission_group=SystemGroup.NOBODY)
        await pass_an_hour(runtime, clock)
        assert await failures(runtime.database) == [
            "Channel does not exist",
            "You do not have permission to start new topics in news.",
            "Direct messages are not allowed in this organization.",
        ]
        assert len(await ids_read(client, owner)) == 2
        assert len(await notices_of(client, member)) == 3

    async def test_invalid_row_does_not_stop_the_others(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        member: Person,
        at: int,
    ) -> None:
        """A row that no request would have written."""
        broken = await schedule(client, member, to_people(member), at)
        await schedule(client, member, to_people(member), at, content="last")
        async with DatabaseSession(runtime.database) as db:
            await db.write()
            too_long = {"content": "x" * 10_001}
            await db.execute(
                update(ScheduledMessage).where(ScheduledMessage.id == broken).values(too_long)
            )
            await db.commit()
        await pass_an_hour(runtime, clock)
        assert "last" in await contents_read(client, member)
        assert await failures(runtime.database) == ["Internal server error"]

    async def test_database_error_does_not_stop_the_others(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        member: Person,
        at: int,
    ) -> None:
        for content in ("first", "poison", "last"):
            await schedule(client, member, to_people(member), at, content=content)
        async with refused_by_the_database(runtime.database, "poison"):
            await pass_an_hour(runtime, clock)
        sent = await contents_read(client, member)
        assert [text for text in sent if "could not be sent" not in text] == ["first", "last"]
        assert await failures(runtime.database) == ["Internal server error"]
        assert len(await notices_of(client, member)) == 1

    @pytest.mark.any_database
    async def test_affects_one_realm_only(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        await schedule(client, member, to_people(owner), at)
        elsewhere = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, elsewhere)
        client.http.base_url = "http://elsewhere.localhost"
        await schedule(client, stranger, to_people(stranger), at, content="Elsewhere")
        await pass_an_hour(runtime, clock)
        assert await contents_read(client, stranger) == ["Elsewhere"]
        client.http.base_url = "http://acme.localhost"
        assert await contents_read(client, owner) == ["Good morning"]


async def failures(database: Database) -> list[str | None]:
    async with DatabaseSession(database) as db:
        rows = await db.execute(select(ScheduledMessage.failure).order_by(ScheduledMessage.id))
        return list(rows.scalars())


@asynccontextmanager
async def refused_by_the_database(database: Database, content: str) -> AsyncIterator[None]:
    """A database that refuses a message, whatever the service decided."""
    if database.is_sqlite:
        forbid = (
            "CREATE TRIGGER no_poison BEFORE INSERT ON message"
            f" WHEN NEW.content = '{content}' BEGIN SELECT RAISE(ABORT, 'poison'); END"
        )
        allow = "DROP TRIGGER no_poison"
    else:
        forbid = f"ALTER TABLE message ADD CONSTRAINT no_poison CHECK (content <> '{content}')"
        allow = "ALTER TABLE message DROP CONSTRAINT no_poison"
    await _change_schema(database, forbid)
    try:
        yield
    finally:
        await _change_schema(database, allow)


async def _change_schema(database: Database, statement: str) -> None:
    async with database.engine.begin() as connection:
        await connection.execute(text(statement))
