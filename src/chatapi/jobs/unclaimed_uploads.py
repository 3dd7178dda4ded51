"""Removes files that were uploaded and never linked by a message."""

from datetime import datetime, timedelta

from chatapi.auth.context import RealmContext
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.features.realm.repository import RealmRepository
from chatapi.features.uploads.removal import remove_attachments
from chatapi.features.uploads.repository import AttachmentRepository, list_realms_with_unclaimed

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
        unclaimed = await AttachmentRepository(work.db, realm_id).list_unclaimed(before, _AT_ONCE)
        if unclaimed:
            realm = await RealmRepository(work.db).get(realm_id)
            await remove_attachments(RealmContext(runtime, work, "", realm, realm), unclaimed)
        await work.commit()
    finally:
        await work.db.close()
    return len(unclaimed) == _AT_ONCE
