"""A sleep that ends early when it is signalled."""

import asyncio

from chatapi.core.wake_signal import WakeSignal
from tests.support.waiting import MAX_WAIT_SECONDS

NIGHT = 3600


async def test_sleep_ends_after_its_time() -> None:
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        await WakeSignal().sleep(0.001)


async def test_signal_ends_a_sleep() -> None:
    signal = WakeSignal()
    async with asyncio.timeout(MAX_WAIT_SECONDS), asyncio.TaskGroup() as tasks:
        tasks.create_task(signal.sleep(NIGHT))
        await asyncio.sleep(0)
        signal.notify()


async def test_earlier_signal_ends_the_next_sleep_once() -> None:
    signal = WakeSignal()
    signal.notify()
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        await signal.sleep(NIGHT)
    sleeping = asyncio.create_task(signal.sleep(NIGHT))
    await asyncio.sleep(0)
    assert not sleeping.done()
    assert not signal.is_closed
    signal.close()
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        await sleeping
    assert signal.is_closed
