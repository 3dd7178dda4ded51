"""Runs the periodic jobs: expiry of idle event queues, trimming of the event log, and others."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import count

import structlog

from chatapi.auth.runtime import Runtime
from chatapi.core.open_files import open_file_usage
from chatapi.db.idempotency_store import IdempotencyStore
from chatapi.events.log import EventLog
from chatapi.jobs.api_key_use import store_used_api_keys
from chatapi.jobs.audit_log import store_failed_logins, trim_audit_log
from chatapi.jobs.expired_messages import delete_expired_messages
from chatapi.jobs.orphaned_files import remove_orphaned_files
from chatapi.jobs.unclaimed_uploads import remove_unclaimed_uploads
from chatapi.jobs.waiting_period import end_waiting_periods

log = structlog.get_logger()

_EVERY_SECONDS = 60
_MINUTES_BETWEEN_SLOW_JOBS = 360
_RESPONSES_KEPT = timedelta(days=1)
_FORWARDED_RESPONSES_KEPT = timedelta(minutes=10)

Job = Callable[[Runtime], Awaitable[None]]


async def run_periodic_jobs(runtime: Runtime) -> None:
    """Run until cancelled; a job that fails is logged and retried the next time."""
    for minute in count(1):
        await asyncio.sleep(_EVERY_SECONDS)
        if runtime.database.is_file_lost:
            # That was logged once; no job can run before the process is restarted.
            continue
        for job in _jobs_of_minute(minute):
            await run_job(job, runtime)


async def run_job(job: Job, runtime: Runtime) -> None:
    """Run a job once; a failure is logged and counted."""
    has_failed = False
    try:
        await job(runtime)
    except Exception:
        has_failed = True
        log.exception("job_failed", job=job.__name__)
    runtime.measurements.job_ended(job.__name__, has_failed=has_failed)


async def expire_queues(runtime: Runtime) -> None:
    await runtime.queues.expire()


async def trim_event_log(runtime: Runtime) -> None:
    """Delete old events from the log of each realm, in one short transaction per realm."""
    oldest = runtime.clock.now() - timedelta(hours=runtime.settings.event_log_hours)
    async with runtime.reading() as db:
        realms = await EventLog(db).list_realms_with_events_before(oldest)
    for realm_id in realms:
        # Not `realm_transaction`: it would make every process follow the log of every realm.
        async with runtime.begin() as work:
            await work.db.lock_realm(realm_id)
            await EventLog(work.db).delete_before(realm_id, oldest)


async def delete_expired_responses(runtime: Runtime) -> None:
    """Delete stored responses after a day: clients repeat requests sooner than that.

    Of messages that processes forward to each other, no process needs them after a few seconds.
    """
    now = runtime.clock.now()
    async with runtime.reading() as db, db.transaction():
        store = IdempotencyStore(db)
        await store.delete_before(now - _RESPONSES_KEPT)
        await store.delete_forwarded_before(now - _FORWARDED_RESPONSES_KEPT)


def _jobs_of_minute(minute: int) -> tuple[Job, ...]:
    return _JOBS if minute % _MINUTES_BETWEEN_SLOW_JOBS else (*_JOBS, *_SLOW_JOBS)


async def watch_open_files(_runtime: Runtime) -> None:
    """Log a warning before connections are refused because too many files are open."""
    usage = open_file_usage()
    if usage.is_near_limit:
        log.warning("open_files_near_limit", open=usage.open, limit=usage.limit)


_JOBS: tuple[Job, ...] = (
    watch_open_files,
    expire_queues,
    trim_event_log,
    delete_expired_responses,
    store_used_api_keys,
    store_failed_logins,
    trim_audit_log,
    end_waiting_periods,
    delete_expired_messages,
    remove_unclaimed_uploads,
)
_SLOW_JOBS: tuple[Job, ...] = (remove_orphaned_files,)
"""Jobs that scan everything that is stored."""
