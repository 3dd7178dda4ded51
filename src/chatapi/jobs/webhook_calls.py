"""Calls the services of outgoing webhook bots."""

import structlog

from chatapi.auth.runtime import Runtime
from chatapi.db.availability import is_unavailable
from chatapi.features.messages import WebhookCaller, find_next_call

log = structlog.get_logger()

POLL_INTERVAL_SECONDS = 1.0
"""Calls that are due again, or that another process left, are noticed within this time."""
_AFTER_FAILURE_SECONDS = 5


async def run_webhook_calls(runtime: Runtime) -> None:
    """Run until `runtime.webhook_calls` is closed; a failure is logged and retried."""
    caller = WebhookCaller(runtime)
    try:
        while not runtime.webhook_calls.is_closed:
            pause = POLL_INTERVAL_SECONDS
            try:
                await _start_due(runtime, caller)
            except Exception as error:
                if not is_unavailable(error):
                    log.exception("job_failed", job="webhook_calls")
                    pause = _AFTER_FAILURE_SECONDS
            await runtime.webhook_calls.sleep(pause)
    finally:
        await caller.close()


async def _start_due(runtime: Runtime, caller: WebhookCaller) -> None:
    async with runtime.reading() as db:
        due_at = await find_next_call(db)
    if due_at is not None and due_at <= runtime.clock.now():
        await caller.start_due()
