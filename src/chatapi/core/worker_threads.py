"""Thread pools, one for each kind of blocking work."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

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

    def close(self) -> None:
        """Accept no more work; does not wait for running work."""
        self._executor.shutdown(wait=False, cancel_futures=True)
