"""Background jobs; each is safe to run in all processes at the same time."""

import asyncio
from contextlib import suppress

from chatapi.auth.runtime import Runtime
from chatapi.jobs.audit_log import store_last_failed_logins
from chatapi.jobs.deliveries import run_deliveries
from chatapi.jobs.moves import run_moves
from chatapi.jobs.periodic_jobs import run_job, run_periodic_jobs
from chatapi.jobs.thumbnails import run_thumbnails
from chatapi.jobs.warm_up import warm_up
from chatapi.jobs.webhook_calls import run_webhook_calls

__all__ = ["run_jobs", "warm_up"]

_LAST_DELIVERY_SECONDS = 0.5


async def run_jobs(runtime: Runtime) -> None:
    """Run until cancelled; a delivery that has begun may finish if the database is fast enough."""
    deliveries = asyncio.create_task(run_deliveries(runtime))
    webhook_calls = asyncio.create_task(run_webhook_calls(runtime))
    thumbnails = asyncio.create_task(run_thumbnails(runtime))
    moves = asyncio.create_task(run_moves(runtime))
    try:
        await run_periodic_jobs(runtime)
    finally:
        signals = (runtime.deliveries, runtime.webhook_calls, runtime.thumbnails, runtime.moves)
        for signal in signals:
            signal.close()
        jobs = {deliveries, webhook_calls, thumbnails, moves}
        await asyncio.wait(jobs, timeout=_LAST_DELIVERY_SECONDS)
        # What did not end is done again by another process, or after a restart.
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_DELIVERY_SECONDS):
                await run_job(store_last_failed_logins, runtime)
