"""Measures how long one step on the event loop keeps every other request waiting."""

import asyncio
import gc
import time
from types import TracebackType
from typing import Any, Self

_Handle: Any = asyncio.Handle


class LoopWatch:
    """Records the longest step of the event loop while it is entered, in seconds of CPU time.

    A step is one callback, or one task from an `await` to the next: nothing else of the process
    runs meanwhile. CPU time of the loop's thread does not count what other processes and threads
    do, so it is the same on a busy machine. Enter it around nothing but the awaiting of a task:
    what the test itself does between would count as well.
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
        if frame is not None:
            frames.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
        waiting = getattr(waiting, "cr_await", None)
    return " > ".join(frames[-4:]) or "the end of the request"
