"""Messages are deleted once older than the retention of realm or channel, and no sooner."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.roles import Role
from chatapi.db.models import Message
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.retention.expired import ExpiredBatch, delete_expired
from chatapi.jobs import expired_messages
from chatapi.jobs.expired_messages import delete_expired_messages
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.delete.deleting import listen_to_deletions, told, topics_of
from tests.features.messages.fetch.conversations import (
    ids_read,
    mark,
    send,
    send_direct,
    unread_ids,
)
from tests.features.realm.settings import change_realm
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.waiting import catch_up_with_other_processes


@pytest.fixture
async def general(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[owner, member])


async def keep(client: ApiClient, owner: Person, channel: ChannelRecord, days: object) -> None:
    path = f"/streams/{channel.id}"
    assert_success(await client.patch(path, owner, message_retention_days=days))


class TestAge:
    async def test_is_counted_in_days(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        await change_realm(client, owner, message_retention_days=3)
        old = [await send(client, owner, general), await send_direct(client, owner, member)]
        clock.advance(days=1)
        new = [await send(client, owner, general), await send_direct(client, owner, member)]
        clock.advance(days=2)
        await delete_expired_messages(runtime)
        assert await ids_read(client, member) == [*old, *new]
        clock.advance(seconds=1)
        await delete_expired_messages(runtime)
        assert await ids_read(client, member) == new
        clock.advance(days=1)
        await delete_expired_messages(runtime)
        await delete_expired_messages(runtime)
        assert await ids_read(client, member) == []

    async def test_channels_may_differ(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        make_channel: MakeChannel,
        owner: Person,
    ) -> None:
        await change_realm(client, owner, message_retention_days=10)
        channels = [await make_channel(subscribers=[owner]) for _ in range(4)]
        for channel, days in zip(channels[1:], (2, 30, "unlimited"), strict=True):
            await keep(client, owner, channel, days)
        sent = [await send(client, owner, channel) for channel in channels]
        left = []
        for days in (3, 8, 20, 1000):
            clock.advance(days=days)
            await delete_expired_messages(runtime)
            found = await read_in(client, owner, channels)
            left.append([message_id in found for message_id in sent])
        assert left == [
            [True, False, True, True],
            [False, False, True, True],
            [False, False, False, True],
            [False, False, False, True],
        ]

    async def test_retention_of_a_single_channel(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        await keep(client, owner, general, 2)
        other = await make_channel(subscribers=[member])
        await send(client, member, general)
        kept = [await send(client, member, other), await send_direct(client, member, owner)]
        clock.advance(days=1000)
        await delete_expired_messages(runtime)
        assert await ids_read(client, member) == kept

    async def test_nothing_expires_by_default(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
    ) -> None:
        message_id = await send(client, owner, general)
        clock.advance(days=100_000)
        await delete_expired_messages(runtime)
        assert await ids_read(client, owner) == [message_id]

    async def test_messages_in_archived_channels_expire_as_well(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
    ) -> None:
        await change_realm(client, owner, message_retention_days=1)
        await send(client, owner, general)
        assert_success(await client.delete(f"/streams/{general.id}", owner))
        clock.advance(days=2)
        await delete_expired_messages(runtime)
        assert await ids_read(client, owner, ["channel", general.id]) == []

    async def test_each_organization_has_its_own(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
    ) -> None:
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other, Role.OWNER)
        client.http.base_url = "http://elsewhere.localhost"
        kept = await send_direct(client, stranger, stranger)
        client.http.base_url = f"http://{realm.subdomain}.localhost"
        await change_realm(client, owner, message_retention_days=1)
        await send_direct(client, owner, owner)
        clock.advance(days=2)
        await delete_expired_messages(runtime)
        assert await ids_read(client, owner) == []
        client.http.base_url = "http://elsewhere.localhost"
        assert await ids_read(client, stranger) == [kept]


async def read_in(client: ApiClient, reader: Person, channels: list[ChannelRecord]) -> list[int]:
    return [
        message_id
        for channel in channels
        for message_id in await ids_read(client, reader, ["channel", channel.id])
    ]


class TestWhatIsLeft:
    async def test_expired_messages_are_nowhere(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
        member: Person,
    ) -> None:
        await change_realm(client, owner, message_retention_days=3)
        old = await send(client, owner, general, content="pineapple", topic="old")
        await send(client, owner, general, content="pineapple", topic="both")
        await send_direct(client, owner, member, content="pineapple")
        await mark(client, member, old, flag="starred")
        clock.advance(days=3)
        new = await send(client, owner, general, content="pineapple", topic="both")
        clock.advance(days=1)
        await delete_expired_messages(runtime)
        assert await ids_read(client, member, ["search", "pineapple"]) == [new]
        assert await unread_ids(client, member) == {new}
        assert await topics_of(client, member, general) == ["both"]
        state = (await listen(client, member)).state
        assert state["starred_messages"] == []
        assert state["recent_private_conversations"] == []
        again = await send(client, owner, general, topic="old")
        assert await topics_of(client, member, general) == ["old", "both"]
        assert await unread_ids(client, member) == {new, again}

    async def test_clients_get_events(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        make_user: MakeUser,
        owner: Person,
        member: Person,
    ) -> None:
        await change_realm(client, owner, message_retention_days=3)
        lunch = [await send(client, owner, general, topic="lunch")]
        news = [await send(client, owner, general, topic="news")]
        lunch.append(await send(client, owner, general, topic="lunch"))
        direct = await send_direct(client, owner, member)
        clock.advance(days=4)
        new, old = [
            await listen_to_deletions(client, member, is_bulk=is_bulk) for is_bulk in (True, False)
        ]
        outsider = await listen_to_deletions(client, await make_user())
        await delete_expired_messages(runtime)
        await delete_expired_messages(runtime)
        place: dict[str, Any] = {"message_type": "stream", "stream_id": general.id}
        assert await told(new) == [
            {"type": "delete_message", "message_ids": [direct], "message_type": "private"},
            {"type": "delete_message", "message_ids": lunch, "topic": "lunch", **place},
            {"type": "delete_message", "message_ids": news, "topic": "news", **place},
        ]
        assert [event["message_id"] for event in await told(old)] == [direct, *lunch, *news]
        assert await told(outsider) == []

    async def test_protected_history_stays_protected(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        await keep(client, owner, channel, 1)
        before = await send(client, owner, channel)
        assert_success(await subscribe(client, owner, channel.name, principals=[member.user_id]))
        after = await send(client, owner, channel)
        clock.advance(days=2)
        listeners = [await listen_to_deletions(client, person) for person in (owner, member)]
        await delete_expired_messages(runtime)
        found = [
            [event["message_ids"] for event in await told(listener) if "topic" in event]
            for listener in listeners
        ]
        assert [each[-1][-2:] for each in found] == [[before, after], [after]]


class TestBatches:
    async def test_delete_messages_of_several_topics_together(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(expired_messages, "AT_ONCE", 3)
        await change_realm(client, owner, message_retention_days=1)
        ids = [
            await send(client, owner, general, topic=topic)
            for _ in range(4)
            for topic in ("one", "two")
        ]
        clock.advance(days=2)
        listener = await listen_to_deletions(client, owner)
        await delete_expired_messages(runtime)
        one, two = ids[::2], ids[1::2]
        found = [event["message_ids"] for event in await told(listener)]
        assert found == [one[:3], two[:2], one[3:], two[2:]]

    async def test_stop_when_a_run_has_lasted_long_enough(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(expired_messages, "MAX_SECONDS", 0.0)
        await change_realm(client, owner, message_retention_days=1)
        message_id = await send(client, owner, general)
        clock.advance(days=2)
        await delete_expired_messages(runtime)
        assert await ids_read(client, owner) == [message_id]

    async def test_are_safe_with_several_processes_and_senders(
        self,
        client: ApiClient,
        start_app: StartApp,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(expired_messages, "AT_ONCE", 3)
        await change_realm(client, owner, message_retention_days=1)
        old = [await send(client, owner, general, topic=f"topic {n % 4}") for n in range(20)]
        clock.advance(days=2)
        listener = await listen_to_deletions(client, owner)
        other = (await start_app()).runtime
        *_jobs, new = await asyncio.gather(
            *(delete_expired_messages(process) for process in (runtime, other, runtime, other)),
            _send_some(client, owner, general),
        )
        await catch_up_with_other_processes(runtime, realm)
        told_of = [number for event in await told(listener) for number in event["message_ids"]]
        assert sorted(told_of) == old
        assert await ids_read(client, owner) == new

    async def test_respect_changes_made_meanwhile(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        make_channel: MakeChannel,
        owner: Person,
    ) -> None:
        """Messages found without the lock are checked again under it."""
        await change_realm(client, owner, message_retention_days=1)
        other = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, general)
        clock.advance(days=2)
        in_another_channel = ExpiredBatch(general.realm_id, other.id, [message_id])
        await _delete(runtime, owner, in_another_channel)
        await keep(client, owner, general, "unlimited")
        await _delete(runtime, owner, ExpiredBatch(general.realm_id, general.id, [message_id]))
        assert message_id in await ids_read(client, owner)
        await keep(client, owner, general, "realm_default")
        await _delete(runtime, owner, ExpiredBatch(general.realm_id, general.id, [message_id]))
        assert message_id not in await ids_read(client, owner)

    async def test_cost_depends_on_expired_messages_only(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        general: ChannelRecord,
        owner: Person,
    ) -> None:
        """Ids have the order of time: the boundary is found without an index on times."""
        await change_realm(client, owner, message_retention_days=5)
        sent = {}
        for _ in range(12):
            message_id = await send(client, owner, general)
            sent[message_id] = unix_seconds(clock.now())
            clock.advance(days=1)
        await delete_expired_messages(runtime)
        border = unix_seconds(clock.now()) - 5 * 24 * 3600
        expected = [each for each, moment in sent.items() if moment >= border]
        assert await ids_read(client, owner) == expected
        async with DatabaseSession(runtime.database) as db:
            rows = await db.execute(select(func.count()).select_from(Message))
            assert rows.scalar_one() == len(expected)


async def _send_some(client: ApiClient, sender: Person, channel: ChannelRecord) -> list[int]:
    return [await send(client, sender, channel, topic=f"topic {n % 4}") for n in range(8)]


async def _delete(runtime: Runtime, person: Person, batch: ExpiredBatch) -> None:
    realm = (await runtime.realms.find("localhost")) or pytest.fail("no organization")
    ctx = await factories.acting_as(runtime, realm, person)
    try:
        await ctx.lock()
        await delete_expired(ctx, batch)
        await ctx.work.commit()
    finally:
        await ctx.db.close()
