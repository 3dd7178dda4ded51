"""Sleep that ends early when somebody rings."""

import asyncio

from chatapi.core.alarm import Alarm

NIGHT = 3600


async def test_a_sleep_comes_to_its_end() -> None:
    async with asyncio.timeout(1):
        await Alarm().sleep(0.001)


async def test_ringing_ends_a_sleep() -> None:
    alarm = Alarm()
    async with asyncio.timeout(1), asyncio.TaskGroup() as tasks:
        tasks.create_task(alarm.sleep(NIGHT))
        await asyncio.sleep(0)
        alarm.ring()


async def test_ringing_is_heard_by_the_next_sleeper_once() -> None:
    alarm = Alarm()
    alarm.ring()
    async with asyncio.timeout(1):
        await alarm.sleep(NIGHT)
    sleeping = asyncio.create_task(alarm.sleep(NIGHT))
    await asyncio.sleep(0)
    assert not sleeping.done()
    assert not alarm.is_closed
    alarm.close()
    async with asyncio.timeout(1):
        await sleeping
    assert alarm.is_closed
