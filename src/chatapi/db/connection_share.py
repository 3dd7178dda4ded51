"""A limit for how many connections of the pool one kind of statement may use."""

import asyncio

MAX_WAIT_SECONDS = 10
"""As long as others wait for a connection of the pool."""


class ConnectionShare:
    """Lets statements take only a part of the pool's connections, in the order of arrival.

    The pool serves those who wait in their order, whatever they want to do. When hundreds of
    clients connect at once, each has to be looked up: without a share, other requests would get a
    connection only after all of them.
    """

    def __init__(self, connections: int) -> None:
        self._free = asyncio.Semaphore(connections)

    async def take(self) -> None:
        """Wait for a turn; raises TimeoutError if there is none in time."""
        if not self._free.locked():
            await self._free.acquire()
            return
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await self._free.acquire()

    def release(self) -> None:
        self._free.release()
