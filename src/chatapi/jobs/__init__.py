"""What the service does by itself; each job is safe to run in every process at once."""

import asyncio

from chatapi.auth.runtime import Runtime
from chatapi.jobs.deliveries import run_deliveries
from chatapi.jobs.periodic_jobs import run_periodic_jobs

__all__ = ["run_jobs"]

_LAST_DELIVERY_SECONDS = 0.5


async def run_jobs(runtime: Runtime) -> None:
    """Run until cancelled; a delivery that has begun comes to its end if the database lets it."""
    deliveries = asyncio.create_task(run_deliveries(runtime))
    try:
        await run_periodic_jobs(runtime)
    finally:
        runtime.deliveries.close()
        await asyncio.wait({deliveries}, timeout=_LAST_DELIVERY_SECONDS)
        deliveries.cancel()
        await asyncio.gather(deliveries, return_exceptions=True)
