"""Calls the services of outgoing webhook bots."""

from functools import partial

from chatapi.auth.runtime import Runtime
from chatapi.features.messages import WebhookCaller, find_next_call
from chatapi.jobs.polling import poll_for_work

POLL_INTERVAL_SECONDS = 1.0
"""Calls that are due again, or that another process left, are noticed within this time."""


async def run_webhook_calls(runtime: Runtime) -> None:
    """Run until `runtime.webhook_calls` is closed."""
    caller = WebhookCaller(runtime)
    work = partial(_start_due, runtime, caller)
    try:
        await poll_for_work("webhook_calls", runtime.webhook_calls, POLL_INTERVAL_SECONDS, work)
    finally:
        await caller.close()


async def _start_due(runtime: Runtime, caller: WebhookCaller) -> float:
    """Start the calls that are due; returns how many seconds to sleep before the next check."""
    async with runtime.reading() as db:
        due_at = await find_next_call(db)
    if due_at is not None and due_at <= runtime.clock.now():
        await caller.start_due()
    return POLL_INTERVAL_SECONDS
