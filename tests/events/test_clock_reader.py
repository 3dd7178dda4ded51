"""Reads of the realm clock: simultaneous requests share one, never one that began earlier."""

import asyncio

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.main import ChatApp
from tests.support.apps import StartApp
from tests.support.sample_events import Noted, commit_events
from tests.support.statements import recorded_statements


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
    with recorded_statements(runtime.database, "realm_clock") as statements:
        await asyncio.gather(*(runtime.clock_reader.catch_up(realm.id) for _ in range(50)))
    # One more may be the read that the process does by itself twice a second.
    assert len(statements) <= 2


async def test_request_during_a_read_gets_the_next_one(
    runtime: Runtime, realm: RealmRecord
) -> None:
    first = asyncio.create_task(runtime.clock_reader.catch_up(realm.id))
    for _ in range(2):  # it asks for a read, and the read begins
        await asyncio.sleep(0)
    running = runtime.clock_reader._running[realm.id]
    second = asyncio.create_task(runtime.clock_reader.catch_up(realm.id))
    await asyncio.sleep(0)
    assert runtime.clock_reader._next[realm.id] is not running
    await asyncio.gather(first, second)


async def test_cancelled_request_does_not_cancel_the_read_of_others(
    runtime: Runtime, realm: RealmRecord
) -> None:
    cancelled, other = (
        asyncio.create_task(runtime.clock_reader.catch_up(realm.id)) for _ in range(2)
    )
    await asyncio.sleep(0)
    cancelled.cancel()
    await other
    assert cancelled.cancelled() or cancelled.cancelling()
    assert not runtime.clock_reader._running
