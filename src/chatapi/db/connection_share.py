"""A limit for how many connections of the pool one kind of statement may use."""

import asyncio
from collections import deque

from chatapi.core.turns import await_turn, was_given

MAX_WAIT_SECONDS = 10
"""As long as others wait for a connection of the pool."""


class ConnectionShare:
    """Lets statements take only a part of the pool's connections, in the order of arrival.

    The pool serves those who wait in their order, whatever they want to do. When hundreds of
    clients connect at once, each has to be looked up: without a share, other requests would get a
    connection only after all of them.
    """

    def __init__(self, connections: int) -> None:
        self._free = connections
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Wait for a turn; raises TimeoutError if there is none in time."""
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await await_turn(turn, MAX_WAIT_SECONDS)
        except BaseException:
            if was_given(turn):
                self.release()
            raise

    def release(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
