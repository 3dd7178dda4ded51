"""Ends tasks that may not end when they are first cancelled."""

import asyncio
from collections.abc import Iterable
from typing import Any

_CANCEL_AGAIN_SECONDS = 0.1


async def cancel_until_done(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they have ended.

    Drivers can mistake a cancellation for a failure of their own; a task that goes on after
    failures has to be cancelled once more. Also ends tasks that these start meanwhile, if they are
    added to a list that is passed.
    """
    while running := {task for task in tasks if not task.done()}:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=_CANCEL_AGAIN_SECONDS)
