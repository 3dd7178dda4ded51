"""Deletes messages whose retention period has ended."""

import asyncio
from contextlib import aclosing

from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.realm_sessions import realm_reading, realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import stopwatch
from chatapi.core.ids import RealmId
from chatapi.features.messages import ExpiredBatch, delete_expired, find_expired

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
    async with runtime.reading() as db:
        realms = await RealmRows(db).list_all()
    for realm in realms:
        await _delete_of(runtime, realm.id, ends_at)


async def _delete_of(runtime: Runtime, realm_id: RealmId, ends_at: float) -> None:
    async with (
        realm_reading(runtime, realm_id) as ctx,
        aclosing(find_expired(ctx, AT_ONCE)) as batches,
    ):
        async for batch in batches:
            if stopwatch() >= ends_at:
                return
            # Do not hold one connection while waiting for another.
            await ctx.release_connection()
            seconds = await _delete(runtime, batch)
            await asyncio.sleep(seconds * _SHARE_OF_OTHERS)


async def _delete(runtime: Runtime, batch: ExpiredBatch) -> float:
    """Delete a batch in one short transaction; returns for how long the realm was locked."""
    async with realm_transaction(runtime, batch.realm_id) as ctx:
        locked_at = stopwatch()
        await delete_expired(ctx, batch)
    return stopwatch() - locked_at
