"""Thread pools, one for each kind of blocking work."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import IO, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class WorkerThreads:
    """Runs functions in a few dedicated threads, without blocking the event loop.

    Each kind of work has its own threads: many slow calls of one kind must not delay the others, as
    they would in the loop's shared thread pool.
    """

    def __init__(self, name: str, count: int) -> None:
        self._executor = ThreadPoolExecutor(count, thread_name_prefix=name)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._executor.submit(work, *args, **kwargs))

    @asynccontextmanager
    async def open_file(self, open_it: Callable[[], IO[bytes]]) -> AsyncIterator[IO[bytes]]:
        """Open a file in a thread and close it at the end.

        A caller that is cancelled while the file is being opened does not wait for it; the thread
        closes the file then.
        """
        opening = self._executor.submit(open_it)
        try:
            yield await asyncio.wrap_future(opening)
        finally:
            opening.add_done_callback(_close_opened)

    def close(self) -> None:
        """Accept no more work; does not wait for running work."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _close_opened(opening: Future[IO[bytes]]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
