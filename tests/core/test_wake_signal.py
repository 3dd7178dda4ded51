"""Sleep that ends early when somebody rings."""

import asyncio

from chatapi.core.wake_signal import WakeSignal

NIGHT = 3600


async def test_a_sleep_comes_to_its_end() -> None:
    async with asyncio.timeout(1):
        await WakeSignal().sleep(0.001)


async def test_ringing_ends_a_sleep() -> None:
    signal = WakeSignal()
    async with asyncio.timeout(1), asyncio.TaskGroup() as tasks:
        tasks.create_task(signal.sleep(NIGHT))
        await asyncio.sleep(0)
        signal.notify()


async def test_ringing_is_heard_by_the_next_sleeper_once() -> None:
    signal = WakeSignal()
    signal.notify()
    async with asyncio.timeout(1):
        await signal.sleep(NIGHT)
    sleeping = asyncio.create_task(signal.sleep(NIGHT))
    await asyncio.sleep(0)
    assert not sleeping.done()
    assert not signal.is_closed
    signal.close()
    async with asyncio.timeout(1):
        await sleeping
    assert signal.is_closed
