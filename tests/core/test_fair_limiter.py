"""Limiting heavy work: how many turns at once, per owner, and in which order."""

import asyncio

import pytest
from typing_extensions import override

from chatapi.core.errors import RateLimitedError, UnavailableError
from chatapi.core.fair_limiter import FairLimiter
from tests.support.waiting import until

ADA, BOB, EVE = "ada", "bob", "eve"


class Worker:
    """Requests that hold a turn until the test ends them."""

    def __init__(self, work: FairLimiter) -> None:
        self._work = work
        self.began: list[str] = []
        self._endings: dict[str, asyncio.Event] = {}

    def start(self, name: str) -> asyncio.Task[None]:
        """The part of the name before the dot is the owner of the work."""
        self._endings[name] = asyncio.Event()
        return asyncio.create_task(self._hold(name))

    def end(self, name: str) -> None:
        self._endings[name].set()

    async def _hold(self, name: str) -> None:
        async with self._work.turn(name.partition(".")[0]):
            self.began.append(name)
            await self._endings[name].wait()


async def test_owner_has_fewer_turns_than_the_process() -> None:
    work = FairLimiter(most=3, most_per_owner=2)
    worker = Worker(work)
    tasks = [worker.start(name) for name in ("ada.1", "ada.2", "ada.3", "bob.1", "eve.1")]
    await until(lambda: len(worker.began) == 3)
    assert worker.began == ["ada.1", "ada.2", "bob.1"]
    assert (work.running, work.running_of(ADA)) == (3, 2)
    for name in ("ada.1", "ada.2", "ada.3", "bob.1", "eve.1"):
        worker.end(name)
    await asyncio.gather(*tasks)
    assert work.running == 0


async def test_waiting_owners_take_turns() -> None:
    worker = Worker(FairLimiter(most=1, most_per_owner=1))
    names = ["ada.1", "ada.2", "ada.3", "ada.4", "bob.1", "eve.1", "bob.2"]
    tasks = [worker.start(name) for name in names]
    # All of them request a turn before the first one ends.
    await asyncio.sleep(0)
    for name in names:
        worker.end(name)
    await asyncio.gather(*tasks)
    assert worker.began == ["ada.1", "ada.2", "bob.1", "eve.1", "ada.3", "bob.2", "ada.4"]


async def test_free_turn_is_taken_without_task_switch() -> None:
    work = FairLimiter(most=1, most_per_owner=1)
    entering = work.turn(ADA).__aenter__()
    with pytest.raises(StopIteration):
        entering.send(None)
    assert work.running == 1


@pytest.mark.parametrize(("busy", "error"), [(ADA, RateLimitedError), (BOB, UnavailableError)])
async def test_request_that_waits_too_long_for_a_turn_is_refused(
    busy: str, error: type[Exception]
) -> None:
    work = FairLimiter(most=1, most_per_owner=1, longest_wait=0.01)
    async with work.turn(busy):
        with pytest.raises(error):
            await work.take(ADA)
    async with work.turn(ADA):
        assert work.running == 1


async def test_too_many_waiting_requests_of_one_owner_are_refused_at_once() -> None:
    work = FairLimiter(most=2, most_per_owner=1)
    worker = Worker(work)
    tasks = [worker.start(f"ada.{number}") for number in range(21)]
    await asyncio.sleep(0)
    with pytest.raises(RateLimitedError):
        await work.take(ADA)
    async with work.turn(BOB):
        assert work.running == 2
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert work.running == 0


async def test_cancelled_requests_leave_no_turn_behind() -> None:
    work = FairLimiter(most=1, most_per_owner=1)
    worker = Worker(work)
    tasks = [worker.start(f"ada.{number}") for number in range(3)]
    await until(lambda: bool(worker.began))
    tasks[1].cancel()
    worker.end("ada.0")
    worker.end("ada.2")
    await asyncio.gather(*tasks, return_exceptions=True)
    assert worker.began == ["ada.0", "ada.2"]
    assert work.running == 0


async def test_ending_asks_only_those_who_get_a_turn() -> None:
    asked: list[str] = []

    class Owner(str):
        """Records that a limiter looks it up."""

        __slots__ = ()

        @override
        def __hash__(self) -> int:
            asked.append(str(self))
            return super().__hash__()

    work = FairLimiter(most=1, most_per_owner=1)
    await work.take(ADA)
    waiting = [asyncio.create_task(work.take(Owner(number))) for number in range(100)]
    await asyncio.sleep(0)
    asked.clear()
    work.release(ADA)
    # Besides the first one, the one after which there is no free slot.
    assert set(asked) <= {"0", "1"}
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
