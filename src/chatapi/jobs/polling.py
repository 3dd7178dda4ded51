"""The loop of jobs that look for due work, whichever process left it."""

from collections.abc import Awaitable, Callable

import structlog

from chatapi.core.wake_signal import WakeSignal
from chatapi.db.availability import is_unavailable

log = structlog.get_logger()

_AFTER_FAILURE_SECONDS = 5
"""An unexpected error is likely to occur again, and would fill the log."""


async def poll_for_work(
    job: str, signal: WakeSignal, interval: float, work: Callable[[], Awaitable[float]]
) -> None:
    """Call `work` until the signal is closed; it returns how many seconds to sleep before the next.

    A failure is logged, unless the database is unavailable, and retried a moment later.
    """
    while not signal.is_closed:
        pause = interval
        try:
            pause = await work()
        except Exception as error:
            if not is_unavailable(error):
                log.exception("job_failed", job=job)
                pause = _AFTER_FAILURE_SECONDS
        await signal.sleep(pause)
