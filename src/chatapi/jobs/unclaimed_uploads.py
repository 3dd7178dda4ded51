"""Removes files that were uploaded and never linked by a message."""

from datetime import datetime, timedelta

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.features.uploads import (
    list_realms_with_unclaimed,
    remove_unclaimed,
)

_AT_ONCE = 100


async def remove_unclaimed_uploads(runtime: Runtime) -> None:
    """Remove files that have been unclaimed for long enough, a few of a realm at a time."""
    days = runtime.settings.unclaimed_upload_days
    before = runtime.clock.now() - timedelta(days=days)
    work = runtime.begin()
    try:
        realms = await list_realms_with_unclaimed(work.db, before)
    finally:
        await work.db.close()
    for realm_id in realms:
        while await _remove_some(runtime, realm_id, before):
            pass


async def _remove_some(runtime: Runtime, realm_id: RealmId, before: datetime) -> bool:
    """Remove some files; returns whether there may be more.

    If two processes run it, the second one finds nothing left to do.
    """
    work = runtime.begin()
    try:
        await work.db.lock_realm(realm_id)
        realm = await RealmRows(work.db).get(realm_id)
        ctx = RealmContext(runtime, work, "", realm, realm)
        removed = await remove_unclaimed(ctx, before, _AT_ONCE)
        await work.commit()
    finally:
        await work.db.close()
    return removed == _AT_ONCE
