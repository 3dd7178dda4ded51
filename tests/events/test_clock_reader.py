"""Reads of the realm clock: simultaneous requests share one, never one that began earlier."""

import asyncio

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.main import ChatApp
from tests.support.apps import StartApp
from tests.support.sample_events import Noted, commit_events
from tests.support.statements import recorded_statements

ONLY_IN_READS = "log_floor"
"""The process itself reads the clocks twice a second, but not this column."""


MAX_TURNS = 1_000
"""Of the event loop, until a read has begun."""


async def test_after_a_read_commits_of_other_processes_are_known(
    app: ChatApp, start_app: StartApp, realm: RealmRecord
) -> None:
    here, there = app.runtime, (await start_app()).runtime
    feed = await here.hub.feed(realm.id)
    await commit_events(there, realm, Noted(text="a"))
    await here.clock_reader.catch_up(realm.id)
    assert feed.position == (await there.hub.feed(realm.id)).position


async def test_simultaneous_requests_share_a_read(runtime: Runtime, realm: RealmRecord) -> None:
    await runtime.hub.feed(realm.id)
    with recorded_statements(runtime.database, ONLY_IN_READS) as reads:
        await asyncio.gather(*(runtime.clock_reader.catch_up(realm.id) for _ in range(50)))
    assert len(reads) == 1


async def test_requests_during_a_read_share_the_next_one(
    runtime: Runtime, realm: RealmRecord
) -> None:
    await runtime.hub.feed(realm.id)
    with recorded_statements(runtime.database, ONLY_IN_READS) as reads:
        first = asyncio.create_task(runtime.clock_reader.catch_up(realm.id))
        for _ in range(MAX_TURNS):
            if reads:
                break
            await asyncio.sleep(0)
        assert not first.done()
        await asyncio.gather(*(runtime.clock_reader.catch_up(realm.id) for _ in range(50)))
        await first
    assert len(reads) == 2


async def test_cancelled_request_does_not_cancel_the_read_of_others(
    runtime: Runtime, realm: RealmRecord
) -> None:
    cancelled, other = (
        asyncio.create_task(runtime.clock_reader.catch_up(realm.id)) for _ in range(2)
    )
    await asyncio.sleep(0)
    cancelled.cancel()
    await other
    assert cancelled.cancelled()


async def test_failed_read_fails_for_all_waiting_requests_and_not_for_later_ones(
    runtime: Runtime, realm: RealmRecord
) -> None:
    unknown = RealmId(realm.id + 1_000)
    failed = await asyncio.gather(
        *(runtime.clock_reader.catch_up(unknown) for _ in range(2)), return_exceptions=True
    )
    assert all(isinstance(each, Exception) for each in failed), failed
    await runtime.clock_reader.catch_up(realm.id)


async def test_read_returns_its_connection_to_the_pool(
    runtime: Runtime, realm: RealmRecord
) -> None:
    await runtime.clock_reader.catch_up(realm.id)
    used = runtime.database.used_connections
    for _ in range(runtime.database.pool_size + 1):
        await runtime.clock_reader.catch_up(realm.id)
    assert runtime.database.used_connections <= used
