"""Continues moves of many messages that requests have begun."""

from functools import partial

from chatapi.auth.runtime import Runtime
from chatapi.features.messages import MoveRunner, find_next_move
from chatapi.jobs.polling import poll_for_work

POLL_INTERVAL_SECONDS = 2.0
"""Moves that another process left are noticed within this time."""


async def run_moves(runtime: Runtime) -> None:
    """Run until `runtime.moves` is closed."""
    runner = MoveRunner(runtime)
    work = partial(_continue_or_wait, runtime, runner)
    await poll_for_work("moves", runtime.moves, POLL_INTERVAL_SECONDS, work)


async def _continue_or_wait(runtime: Runtime, runner: MoveRunner) -> float:
    """Continue all moves a little; returns how many seconds to sleep before the next check."""
    if not runner.is_busy:
        async with runtime.reading() as db:
            due_at = await find_next_move(db)
        if due_at is None or due_at > runtime.clock.now():
            return POLL_INTERVAL_SECONDS
    await runner.run_once()
    return 0
