"""Delivers scheduled messages and reminders when they are due."""

from functools import partial

from chatapi.auth.runtime import Runtime
from chatapi.features.messages import deliver_some, find_next_due
from chatapi.jobs.polling import poll_for_work

POLL_INTERVAL_SECONDS = 0.5
"""Messages that another process scheduled and did not deliver are noticed within this time."""


async def run_deliveries(runtime: Runtime) -> None:
    """Run until `runtime.deliveries` is closed."""
    work = partial(_deliver_or_wait, runtime)
    await poll_for_work("deliveries", runtime.deliveries, POLL_INTERVAL_SECONDS, work)


async def _deliver_or_wait(runtime: Runtime) -> float:
    """Deliver what is due; returns how many seconds to sleep before the next check."""
    async with runtime.reading() as db:
        due_at = await find_next_due(db)
    if due_at is None:
        return POLL_INTERVAL_SECONDS
    seconds = (due_at - runtime.clock.now()).total_seconds()
    if seconds > 0:
        return min(seconds, POLL_INTERVAL_SECONDS)
    # If another process is delivering, this one does not interfere.
    return 0 if await deliver_some(runtime) else POLL_INTERVAL_SECONDS
