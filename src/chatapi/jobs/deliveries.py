"""Delivers scheduled messages and reminders when they are due."""

import structlog

from chatapi.auth.runtime import Runtime
from chatapi.db.availability import is_unavailable
from chatapi.features.messages import deliver_some, find_next_due

log = structlog.get_logger()

POLL_INTERVAL_SECONDS = 0.5
"""Messages that another process scheduled and did not deliver are noticed within this time."""
_AFTER_FAILURE_SECONDS = 5
"""An unexpected error is likely to occur again, and would fill the log."""


async def run_deliveries(runtime: Runtime) -> None:
    """Run until `runtime.deliveries` is closed; a failure is logged and retried a moment later."""
    while not runtime.deliveries.is_closed:
        pause = POLL_INTERVAL_SECONDS
        try:
            pause = await _deliver_or_wait(runtime)
        except Exception as error:
            if not is_unavailable(error):
                log.exception("job_failed", job="deliveries")
                pause = _AFTER_FAILURE_SECONDS
        await runtime.deliveries.sleep(pause)


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
