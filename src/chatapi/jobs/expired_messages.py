"""The end of messages that an organization does not want to keep any longer."""

import asyncio
from contextlib import aclosing

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import stopwatch
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.retention.expired import ExpiredBatch, delete_expired, find_expired

AT_ONCE = 25
"""Messages in one transaction: whoever sends meanwhile waits no longer than for these."""
_SHARE_OF_OTHERS = 2
"""How many times as long as a transaction of ours took belongs to those who send."""
MAX_SECONDS = 60.0
"""In one run, however much is left for the next one: other jobs wait."""


async def delete_expired_messages(runtime: Runtime) -> None:
    """Delete what is too old, a few messages at a time, with room for others in between.

    Any number of processes may do it at once: whoever comes second finds less to do.
    """
    ends_at = stopwatch() + MAX_SECONDS
    work = runtime.begin()
    try:
        realms = await RealmRepository(work.db).list_all()
    finally:
        await work.db.close()
    for realm in realms:
        await _delete_of(runtime, realm, ends_at)


async def _delete_of(runtime: Runtime, realm: RealmRecord, ends_at: float) -> None:
    reading = runtime.begin()
    try:
        ctx = RealmContext(runtime, reading, "", realm, realm)
        async with aclosing(find_expired(ctx, AT_ONCE)) as batches:
            async for batch in batches:
                if stopwatch() >= ends_at:
                    return
                # Nobody may hold one connection and wait for another.
                await reading.db.close()
                seconds = await _delete(runtime, batch)
                await asyncio.sleep(seconds * _SHARE_OF_OTHERS)
    finally:
        await reading.db.close()


async def _delete(runtime: Runtime, batch: ExpiredBatch) -> float:
    """One short transaction; how long others had to wait for it."""
    # Before the lock: whoever holds it must not wait for a second connection.
    await runtime.hub.feed(batch.realm_id)
    realm = await runtime.realms.of_id(batch.realm_id)
    work = runtime.begin()
    try:
        number = await work.db.lock_realm(batch.realm_id)
        locked_at = stopwatch()
        await runtime.hub.catch_up_to(work.db, batch.realm_id, number)
        if not runtime.realms.is_current(realm):
            realm = await RealmRepository(work.db).get(batch.realm_id)
        await delete_expired(RealmContext(runtime, work, "", realm, realm), batch)
        await work.commit()
        return stopwatch() - locked_at
    finally:
        await work.db.close()
