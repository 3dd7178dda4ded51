"""Removes files that were uploaded and never linked by a message."""

from datetime import datetime, timedelta

from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.features.uploads import list_realms_with_unclaimed, remove_unclaimed

_AT_ONCE = 100


async def remove_unclaimed_uploads(runtime: Runtime) -> None:
    """Remove files that have been unclaimed for long enough, a few of a realm at a time."""
    days = runtime.settings.unclaimed_upload_days
    before = runtime.clock.now() - timedelta(days=days)
    async with runtime.reading() as db:
        realms = await list_realms_with_unclaimed(db, before)
    for realm_id in realms:
        while await _remove_some(runtime, realm_id, before):
            pass


async def _remove_some(runtime: Runtime, realm_id: RealmId, before: datetime) -> bool:
    """Remove some files; returns whether there may be more.

    If two processes run it, the second one finds nothing left to do.
    """
    async with realm_transaction(runtime, realm_id) as ctx:
        removed = await remove_unclaimed(ctx, before, _AT_ONCE)
    return removed == _AT_ONCE
