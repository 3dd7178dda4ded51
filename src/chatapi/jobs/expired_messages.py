"""Deletes messages whose retention period has ended."""

import asyncio
from contextlib import aclosing

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import stopwatch
from chatapi.features.messages import (
    ExpiredBatch,
    delete_expired,
    find_expired,
)

AT_ONCE = 25
"""Messages per transaction: senders wait no longer than it takes to delete these."""
_SHARE_OF_OTHERS = 2
"""The pause between two transactions, which senders can use, as a multiple of the last one's
duration."""
MAX_SECONDS = 60.0
"""Per run, however much is left for the next one: other jobs wait."""


async def delete_expired_messages(runtime: Runtime) -> None:
    """Delete expired messages, a few at a time, with pauses in which other writers can run.

    Any number of processes may run it at once: the second one finds fewer messages to delete.
    """
    ends_at = stopwatch() + MAX_SECONDS
    work = runtime.begin()
    try:
        realms = await RealmRows(work.db).list_all()
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
                # Do not hold one connection while waiting for another.
                await reading.db.close()
                seconds = await _delete(runtime, batch)
                await asyncio.sleep(seconds * _SHARE_OF_OTHERS)
    finally:
        await reading.db.close()


async def _delete(runtime: Runtime, batch: ExpiredBatch) -> float:
    """Delete a batch in one short transaction; returns for how long the realm was locked."""
    # Before the lock: its holder must not wait for a second connection.
    await runtime.hub.feed(batch.realm_id)
    realm = await runtime.realms.of_id(batch.realm_id)
    work = runtime.begin()
    try:
        number = await work.db.lock_realm(batch.realm_id)
        locked_at = stopwatch()
        await runtime.hub.catch_up_to(work.db, batch.realm_id, number)
        if not runtime.realms.is_current(realm):
            realm = await RealmRows(work.db).get(batch.realm_id)
        await delete_expired(RealmContext(runtime, work, "", realm, realm), batch)
        await work.commit()
        return stopwatch() - locked_at
    finally:
        await work.db.close()
