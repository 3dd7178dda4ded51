"""Events of connections, which have no room for waiters until there is one."""

import asyncio

import pytest

from chatapi.http.quiet_events import QuietEvent


async def test_waiting_for_a_set_event_returns_at_once() -> None:
    event = QuietEvent()
    event.set()
    async with asyncio.timeout(1):
        await event.wait()
    assert event.is_set()


async def test_all_waiters_are_woken() -> None:
    event = QuietEvent()
    async with asyncio.timeout(1), asyncio.TaskGroup() as waiters:
        for _ in range(3):
            waiters.create_task(event.wait())
        await asyncio.sleep(0)
        event.set()


async def test_a_cleared_event_is_waited_for_again() -> None:
    event = QuietEvent()
    event.set()
    event.clear()
    assert not event.is_set()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await event.wait()
    event.set()
    async with asyncio.timeout(1):
        await event.wait()


async def test_a_waiter_that_gives_up_leaves_the_others() -> None:
    event = QuietEvent()
    async with asyncio.timeout(1), asyncio.TaskGroup() as waiters:
        impatient = waiters.create_task(event.wait())
        waiters.create_task(event.wait())
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.sleep(0)
        event.set()
    assert impatient.cancelled()
