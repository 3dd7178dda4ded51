"""Looks at the clock: shared by those who ask together, never with one that began before."""

import asyncio

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.main import ChatApp
from tests.support.apps import StartApp
from tests.support.sample_events import Noted, commit_events
from tests.support.statements import recorded_statements


async def test_after_a_look_what_another_process_committed_is_known(
    app: ChatApp, start_app: StartApp, realm: RealmRecord
) -> None:
    here, there = app.runtime, (await start_app()).runtime
    feed = await here.hub.feed(realm.id)
    await commit_events(there, realm, Noted(text="a"))
    await here.clock_reader.catch_up(realm.id)
    assert feed.position == (await there.hub.feed(realm.id)).position


async def test_requests_of_one_moment_share_a_look(runtime: Runtime, realm: RealmRecord) -> None:
    await runtime.hub.feed(realm.id)
    with recorded_statements(runtime.database, "realm_clock") as statements:
        await asyncio.gather(*(runtime.clock_reader.catch_up(realm.id) for _ in range(50)))
    # One more may be the look that the process takes by itself twice a second.
    assert len(statements) <= 2


async def test_a_request_during_a_look_gets_the_next_one(
    runtime: Runtime, realm: RealmRecord
) -> None:
    first = asyncio.create_task(runtime.clock_reader.catch_up(realm.id))
    for _ in range(2):  # it asks for a look, and the look begins
        await asyncio.sleep(0)
    running = runtime.clock_reader._running[realm.id]
    second = asyncio.create_task(runtime.clock_reader.catch_up(realm.id))
    await asyncio.sleep(0)
    assert runtime.clock_reader._next[realm.id] is not running
    await asyncio.gather(first, second)


async def test_a_cancelled_request_leaves_the_look_to_the_others(
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
