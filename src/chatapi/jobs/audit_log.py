"""Writes failed logins into the audit log, and deletes entries that are too old."""

from datetime import timedelta

from chatapi.audit.log import AuditLog
from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import UnknownOrganizationError
from chatapi.features.users import record_failed_logins

_AT_ONCE = 1000


async def store_failed_logins(runtime: Runtime) -> None:
    """Write the attempts that this process has counted since the last entry about an account."""
    await _store(runtime, includes_all=False)


async def store_last_failed_logins(runtime: Runtime) -> None:
    """Write all attempts that were counted: the process ends."""
    await _store(runtime, includes_all=True)


async def _store(runtime: Runtime, *, includes_all: bool) -> None:
    counted = runtime.failed_logins
    due = counted.take_due(runtime.clock.now(), includes_all=includes_all)
    counted.forget_old(runtime.clock.now())
    while due:
        realm_id, attempts_on = due.popitem()
        try:
            async with realm_transaction(runtime, realm_id) as ctx:
                await record_failed_logins(ctx, attempts_on)
        except UnknownOrganizationError:
            # It was deleted meanwhile, and its audit log with it.
            continue
        except Exception:
            counted.put_back(realm_id, attempts_on)
            for other, attempts in due.items():
                counted.put_back(other, attempts)
            raise


async def trim_audit_log(runtime: Runtime) -> None:
    """Delete entries that are too old, some at a time, so that no writer waits for long."""
    days = runtime.settings.audit_log_days
    if days == 0:
        return
    oldest = runtime.clock.now() - timedelta(days=days)
    async with runtime.reading() as db:
        if not await AuditLog(db).has_entries_before(oldest):
            return
    deleted = _AT_ONCE
    while deleted == _AT_ONCE:
        async with runtime.reading() as db, db.transaction():
            deleted = await AuditLog(db).delete_before(oldest, _AT_ONCE)
