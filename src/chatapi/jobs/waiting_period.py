"""Ends the waiting period of users, which is a matter of time alone."""

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.features.users import (
    list_realms_to_recount,
    recount_full_members,
)


async def end_waiting_periods(runtime: Runtime) -> None:
    """Make users full members when their waiting period is over, one realm at a time."""
    work = runtime.begin()
    try:
        realms = await list_realms_to_recount(work.db, runtime.clock.now())
    finally:
        await work.db.close()
    for realm_id in realms:
        await _recount(runtime, realm_id)


async def _recount(runtime: Runtime, realm_id: RealmId) -> None:
    """Update one realm; if two processes do it, the second one finds nothing left to do."""
    work = runtime.begin()
    try:
        await work.db.lock_realm(realm_id)
        realm = await RealmRows(work.db).get(realm_id)
        origin = runtime.settings.public_url or ""
        await recount_full_members(RealmContext(runtime, work, origin, realm, realm))
        await work.commit()
    finally:
        await work.db.close()
