"""Expiry of idle event queues and of the old end of the event log."""

import asyncio
from datetime import timedelta

import structlog

from chatapi.auth.runtime import Runtime
from chatapi.events.log import EventLog

log = structlog.get_logger()

_EVERY_SECONDS = 60


async def run_jobs(runtime: Runtime) -> None:
    """Run until cancelled; a failure is logged and tried again the next time."""
    while True:
        await asyncio.sleep(_EVERY_SECONDS)
        try:
            await runtime.queues.expire()
            await forget_old_events(runtime)
        except Exception:
            log.exception("housekeeping_failed")


async def forget_old_events(runtime: Runtime) -> None:
    """Cut the log of each realm, one short transaction at a time."""
    oldest = runtime.clock.now() - timedelta(hours=runtime.settings.event_log_hours)
    work = runtime.begin()
    try:
        realms = await EventLog(work.db).list_realms_with_events_before(oldest)
        for realm_id in realms:
            await work.db.lock_realm(realm_id)
            await EventLog(work.db).forget_before(realm_id, oldest)
            await work.commit()
    finally:
        await work.db.close()
