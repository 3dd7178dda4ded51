"""Background jobs; each is safe to run in all processes at the same time."""

import asyncio

from chatapi.auth.runtime import Runtime
from chatapi.jobs.deliveries import run_deliveries
from chatapi.jobs.periodic_jobs import run_periodic_jobs
from chatapi.jobs.thumbnails import run_thumbnails
from chatapi.jobs.webhook_calls import run_webhook_calls

__all__ = ["run_jobs"]

_LAST_DELIVERY_SECONDS = 0.5


async def run_jobs(runtime: Runtime) -> None:
    """Run until cancelled; a delivery that has begun may finish if the database is fast enough."""
    deliveries = asyncio.create_task(run_deliveries(runtime))
    webhook_calls = asyncio.create_task(run_webhook_calls(runtime))
    # What it has begun is done again by the next process.
    thumbnails = asyncio.create_task(run_thumbnails(runtime))
    try:
        await run_periodic_jobs(runtime)
    finally:
        thumbnails.cancel()
        runtime.deliveries.close()
        runtime.webhook_calls.close()
        await asyncio.wait({deliveries, webhook_calls}, timeout=_LAST_DELIVERY_SECONDS)
        deliveries.cancel()
        # A call that did not end is made again by another process, or after a restart.
        webhook_calls.cancel()
        await asyncio.gather(deliveries, webhook_calls, thumbnails, return_exceptions=True)
