"""The order in which the writers of one process write in a realm."""

import asyncio
from collections import deque


class WriterTurn:
    """A lock whose waiters are single requests and batches, which alternate when both wait.

    Each kind is served in the order of arrival. A batch carries the writes of many requests: in one
    queue, each of them would wait for every single request before it, however long that one holds
    the lock.
    """

    def __init__(self) -> None:
        self._is_held = False
        self._was_batch = False
        """Whether the last turn was given to a batch."""
        self._waiting: dict[bool, deque[asyncio.Future[None]]] = {False: deque(), True: deque()}
        """The waiting requests (False) and the waiting batches (True)."""

    def locked(self) -> bool:
        return self._is_held

    @property
    def waiting(self) -> int:
        """How many requests and batches wait for their turn."""
        return sum(not turn.done() for turns in self._waiting.values() for turn in turns)

    async def acquire(self, *, is_batch: bool = False) -> None:
        """Wait for the turn; `release` passes it on."""
        if not self._is_held:
            self._is_held = True
            self._was_batch = is_batch
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[is_batch].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # The turn came in the same moment: the next waiter gets it.
                self.release()
            raise

    def release(self) -> None:
        """Give the turn to the next waiter: of the other kind, if one of these waits."""
        for is_batch in (not self._was_batch, self._was_batch):
            waiting = self._waiting[is_batch]
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    self._was_batch = is_batch
                    turn.set_result(None)
                    return
        self._is_held = False
