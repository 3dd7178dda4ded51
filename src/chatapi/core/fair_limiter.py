"""Limits for expensive work: how much runs at once, in total and per owner."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Hashable
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType

from typing_extensions import override

from chatapi.core.errors import RateLimitedError, UnavailableError
from chatapi.core.turns import await_turn, was_given

_MAX_WAITING = 20
"""Maximum number of waiting requests of one owner; more are refused at once."""
_MAX_WAIT_SECONDS = 20.0


class FairLimiter:
    """Limits how many expensive operations run at once, in total and per owner.

    An owner is a user, or the address of a client without an account. Waiting owners get slots in
    turn, however many requests each of them has. Taking a free slot costs no task switch. A request
    takes its slot before it takes a database connection or a lock, and never a second slot while it
    holds one.
    """

    def __init__(
        self,
        most: int,
        most_per_owner: int,
        longest_wait: float = _MAX_WAIT_SECONDS,
        most_waiting: int = _MAX_WAITING,
    ) -> None:
        self._most = most
        self._most_per_owner = most_per_owner
        self._longest_wait = longest_wait
        self._most_waiting = most_waiting
        self._running: Counter[Hashable] = Counter()
        self._running_in_all = 0
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    def turn(self, owner: Hashable) -> AbstractAsyncContextManager[None]:
        """Hold a slot for the duration of a block; raises 429 or 503 if none is free in time."""
        return _Turn(self, owner)

    @property
    def running(self) -> int:
        """The number of operations that hold a slot."""
        return self._running_in_all

    def running_of(self, owner: Hashable) -> int:
        return self._running[owner]

    async def take(self, owner: Hashable) -> None:
        if self._is_free_for(owner):
            self._begin(owner)
            return
        queue = self._waiting.setdefault(owner, deque())
        if len(queue) >= self._most_waiting:
            raise self._refusal(owner)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await await_turn(turn, self._longest_wait)
        except BaseException as error:
            self._give_up(owner, turn)
            if isinstance(error, TimeoutError):
                raise self._refusal(owner) from None
            raise

    def release(self, owner: Hashable) -> None:
        self._running_in_all -= 1
        self._running[owner] -= 1
        if not self._running[owner]:
            del self._running[owner]
        self._give_turns()

    def _begin(self, owner: Hashable) -> None:
        self._running_in_all += 1
        self._running[owner] += 1

    def _is_free_for(self, owner: Hashable) -> bool:
        return self._running_in_all < self._most and self._running[owner] < self._most_per_owner

    def _give_turns(self) -> None:
        """Give slots round-robin: each owner gets one before any of them gets the next."""
        for owner in self._next_owners():
            self._begin(owner)
            queue = self._waiting[owner]
            queue.popleft().set_result(None)
            self._waiting.move_to_end(owner)
            self._forget_if_empty(owner)

    def _next_owners(self) -> list[Hashable]:
        """Returns as many as there are free slots; hundreds may wait, so it asks no others."""
        found: list[Hashable] = []
        free = self._most - self._running_in_all
        for owner, queue in self._waiting.items():
            if len(found) >= free:
                break
            while queue and queue[0].done():
                # Cancelled, by a task that has not yet run its cleanup.
                del queue[0]
            if queue and self._running[owner] < self._most_per_owner:
                found.append(owner)
        return found

    def _give_up(self, owner: Hashable, turn: asyncio.Future[None]) -> None:
        if was_given(turn):
            # It was granted at the moment of the timeout or cancellation.
            self.release(owner)
            return
        with suppress(KeyError, ValueError):
            # It is missing if it was found to be cancelled before this.
            self._waiting[owner].remove(turn)
        self._forget_if_empty(owner)

    def _forget_if_empty(self, owner: Hashable) -> None:
        if owner in self._waiting and not self._waiting[owner]:
            del self._waiting[owner]

    def _refusal(self, owner: Hashable) -> RateLimitedError | UnavailableError:
        if self._running[owner] >= self._most_per_owner:
            return RateLimitedError(retry_after=1)
        return UnavailableError()


class _Turn(AbstractAsyncContextManager[None]):
    def __init__(self, work: FairLimiter, owner: Hashable) -> None:
        self._work = work
        self._owner = owner

    @override
    async def __aenter__(self) -> None:
        await self._work.take(self._owner)

    @override
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._work.release(self._owner)
