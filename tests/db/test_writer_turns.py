"""The order of writers: requests and batches share the time of a lock; no writer loses a turn."""

import asyncio

import pytest

from chatapi.db.writer_turns import WriterTurn


class Writers:
    """Writers that wait for one turn, and the order in which they got it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.turn = WriterTurn(now=lambda: self.seconds)
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

    async def hold(self, seconds: float) -> list["asyncio.Task[None]"]:
        """Let a request hold the turn while another request and a batch wait for it."""
        await self.turn.acquire()
        tasks = [await self.wait("request"), await self.wait("batch", is_batch=True)]
        self.seconds += seconds
        self.turn.release()
        return tasks


@pytest.fixture
def writers() -> Writers:
    return Writers()


class TestOrder:
    async def test_writers_of_one_kind_are_served_in_the_order_of_arrival(
        self, writers: Writers
    ) -> None:
        await writers.turn.acquire()
        tasks = [await writers.wait(name) for name in "abc"]
        writers.turn.release()
        await asyncio.gather(*tasks)
        assert writers.order == ["a", "b", "c"]
        assert not writers.turn.locked()

    async def test_requests_and_batches_alternate_when_both_wait(self, writers: Writers) -> None:
        await writers.turn.acquire()
        tasks = [await writers.wait(name) for name in ("a", "b", "c")]
        tasks += [await writers.wait(name, is_batch=True) for name in ("batch 1", "batch 2")]
        assert writers.turn.waiting == 5
        writers.turn.release()
        await asyncio.gather(*tasks)
        assert writers.order == ["batch 1", "a", "batch 2", "b", "c"]

    async def test_request_does_not_wait_for_a_second_batch(self, writers: Writers) -> None:
        await writers.turn.acquire(is_batch=True)
        tasks = [await writers.wait("batch", is_batch=True), await writers.wait("request")]
        writers.turn.release()
        await asyncio.gather(*tasks)
        assert writers.order == ["request", "batch"]


class TestWindow:
    """After a request that held the lock for long, batches have it for as long."""

    async def test_request_waits_for_batches_that_come_within_the_window(
        self, writers: Writers
    ) -> None:
        tasks = await writers.hold(seconds=0.05)
        await tasks[1]
        tasks.append(await writers.wait("late batch", is_batch=True))
        writers.seconds += 0.06
        await asyncio.gather(*tasks)
        assert writers.order == ["batch", "late batch", "request"]
        assert not writers.turn.locked()

    async def test_request_that_comes_within_the_window_waits_for_its_end(
        self, writers: Writers
    ) -> None:
        tasks = await writers.hold(seconds=0.05)
        await tasks[1]
        tasks.append(await writers.wait("late request"))
        assert (writers.order, writers.turn.waiting) == (["batch"], 2)
        writers.seconds += 0.06
        await asyncio.gather(*tasks)
        assert writers.order == ["batch", "request", "late request"]

    async def test_window_is_short_after_a_very_long_request(self, writers: Writers) -> None:
        tasks = await writers.hold(seconds=60)
        writers.seconds += 0.2
        await asyncio.gather(*tasks)
        assert writers.order == ["batch", "request"]

    async def test_there_is_none_if_no_batch_waited(self, writers: Writers) -> None:
        await writers.turn.acquire()
        waiting = await writers.wait("request")
        writers.seconds += 0.05
        writers.turn.release()
        await waiting
        await (await writers.wait("batch", is_batch=True))
        assert writers.order == ["request", "batch"]


class TestCancelled:
    async def test_writer_is_passed_over(self, writers: Writers) -> None:
        await writers.turn.acquire()
        cancelled, other = await writers.wait("cancelled"), await writers.wait("other")
        cancelled.cancel()
        writers.turn.release()
        await asyncio.gather(cancelled, other, return_exceptions=True)
        assert writers.order == ["other"]
        assert not writers.turn.locked()

    async def test_writer_whose_turn_has_come_passes_it_on(self, writers: Writers) -> None:
        await writers.turn.acquire()
        cancelled, other = await writers.wait("cancelled"), await writers.wait("other")
        writers.turn.release()
        cancelled.cancel()
        await asyncio.gather(cancelled, other, return_exceptions=True)
        assert writers.order == ["other"]
        assert not writers.turn.locked()

    async def test_request_that_waits_for_the_end_of_a_window_leaves_nothing_behind(
        self, writers: Writers
    ) -> None:
        request, batch = await writers.hold(seconds=0.01)
        await batch
        request.cancel()
        await asyncio.gather(request, return_exceptions=True)
        writers.seconds += 1
        await writers.turn.acquire()
        assert writers.order == ["batch"]
