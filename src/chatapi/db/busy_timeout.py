"""A timeout for responses of a server, which a busy process can wait for as well."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

_STEP_SECONDS = 0.05


@asynccontextmanager
async def busy_timeout(seconds: float) -> AsyncGenerator[None, None]:
    """Raise TimeoutError as `asyncio.timeout` does, counted in steps of the event loop.

    Time in which the process was busy or stopped does not count: it could not receive a response.
    """
    async with asyncio.timeout(None) as limit:
        counting = asyncio.create_task(_expire(limit, seconds))
        try:
            yield
        finally:
            counting.cancel()


async def _expire(limit: asyncio.Timeout, seconds: float) -> None:
    for _ in range(round(seconds / _STEP_SECONDS)):
        await asyncio.sleep(_STEP_SECONDS)
    limit.reschedule(asyncio.get_running_loop().time())
