"""The order of writers: requests and batches take turns, and nobody loses a turn."""

import asyncio

import pytest

from chatapi.db.writer_turns import WriterTurn


class Writers:
    """Writers that wait for one turn, and the order in which they got it."""

    def __init__(self) -> None:
        self.turn = WriterTurn()
        self.order: list[str] = []

    async def wait(self, name: str, *, is_batch: bool = False) -> "asyncio.Task[None]":
        """Let a writer wait for its turn, which it ends at once."""

        async def write() -> None:
            await self.turn.acquire(is_batch=is_batch)
            self.order.append(name)
            self.turn.release()

        task = asyncio.create_task(write())
        await asyncio.sleep(0)
        return task


@pytest.fixture
def writers() -> Writers:
    return Writers()


async def test_writers_of_one_kind_are_served_in_the_order_of_arrival(writers: Writers) -> None:
    await writers.turn.acquire()
    tasks = [await writers.wait(name) for name in "abc"]
    writers.turn.release()
    await asyncio.gather(*tasks)
    assert writers.order == ["a", "b", "c"]
    assert not writers.turn.locked()


async def test_requests_and_batches_alternate_when_both_wait(writers: Writers) -> None:
    await writers.turn.acquire()
    tasks = [await writers.wait(name) for name in ("a", "b", "c")]
    tasks += [await writers.wait(name, is_batch=True) for name in ("batch 1", "batch 2")]
    assert writers.turn.waiting == 5
    writers.turn.release()
    await asyncio.gather(*tasks)
    assert writers.order == ["batch 1", "a", "batch 2", "b", "c"]


async def test_request_does_not_wait_for_a_second_batch(writers: Writers) -> None:
    await writers.turn.acquire(is_batch=True)
    tasks = [await writers.wait("batch", is_batch=True), await writers.wait("request")]
    writers.turn.release()
    await asyncio.gather(*tasks)
    assert writers.order == ["request", "batch"]


async def test_cancelled_writer_is_passed_over(writers: Writers) -> None:
    await writers.turn.acquire()
    cancelled, other = await writers.wait("cancelled"), await writers.wait("other")
    cancelled.cancel()
    writers.turn.release()
    await asyncio.gather(cancelled, other, return_exceptions=True)
    assert writers.order == ["other"]
    assert not writers.turn.locked()


async def test_writer_that_is_cancelled_when_its_turn_comes_passes_it_on(writers: Writers) -> None:
    await writers.turn.acquire()
    cancelled, other = await writers.wait("cancelled"), await writers.wait("other")
    writers.turn.release()
    cancelled.cancel()
    await asyncio.gather(cancelled, other, return_exceptions=True)
    assert writers.order == ["other"]
    assert not writers.turn.locked()
