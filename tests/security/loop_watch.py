"""Measures how long one step on the event loop keeps every other request waiting."""

import asyncio
import gc
import os
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from tests.support.machine_speed import slowdown

T = TypeVar("T")

MAX_STEP_SECONDS = 0.05
"""On an ordinary core that does nothing else."""
_TRIES = 6
_Handle: Any = asyncio.Handle
_OURS = f"{os.sep}chatapi{os.sep}"


class LoopWatch:
    """Records the longest step of the event loop while it is entered, in seconds of CPU time.

    A step is one callback, or one task from an `await` to the next: nothing else of the process
    runs meanwhile. CPU time of the loop's thread does not count what other processes and threads
    do. Enter it around nothing but the awaiting of a task: what the test itself does between would
    count as well.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self.place = "nowhere"
        """Where the task of the longest step stopped, which is where it began to wait again."""
        self._run: Any = None

    async def __aenter__(self) -> Self:
        # Garbage of earlier tests is not the request's.
        gc.disable()
        self._run = _Handle._run
        _Handle._run = self._measured(self._run)
        # The step that entered ends here and is not measured.
        await asyncio.sleep(0)
        self.longest = 0.0
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _Handle._run = self._run
        gc.enable()

    def _measured(self, run: Any) -> Any:
        def measured(handle: asyncio.Handle) -> None:
            started = time.thread_time()
            run(handle)
            used = time.thread_time() - started
            if used > self.longest:
                self.longest = used
                self.place = _place_of(handle)

        return measured


def _place_of(handle: Any) -> str:
    callback = handle._callback
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        return repr(handle)
    frames: list[str] = []
    waiting: Any = task.get_coro()
    while waiting is not None:
        frame = getattr(waiting, "cr_frame", None)
        if frame is not None and _OURS in frame.f_code.co_filename:
            frames.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
        waiting = getattr(waiting, "cr_await", None)
    return " > ".join(frames[-6:]) or "the end of the request"


def is_short_step(seconds: float, limit: float = MAX_STEP_SECONDS) -> bool:
    """Whether a step would be within the limit on an ordinary core; ask right after it."""
    return seconds < limit or seconds < limit * slowdown()


async def assert_short_steps(
    act: Callable[[], Awaitable[T]],
    undo: Callable[[], Awaitable[object]] | None = None,
    limit: float = MAX_STEP_SECONDS,
) -> T:
    """Assert that no step of `act` blocks the event loop for too long.

    The best of a few tries counts: a slow step is slow each time. Where a second try would find
    everything done, `undo` is called before it.
    """
    watch = LoopWatch()
    for _ in range(_TRIES):
        async with watch:
            result = await asyncio.ensure_future(_run(act))
        if is_short_step(watch.longest, limit):
            return result
        if undo is not None:
            await undo()
    raise AssertionError(f"{watch.longest:.3f} s before {watch.place}")


async def _run(act: Callable[[], Awaitable[T]]) -> T:
    return await act()
