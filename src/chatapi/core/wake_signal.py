"""Wakes a job that sleeps until something is due."""

import asyncio


class WakeSignal:
    """Ends the sleep of one job early; if notified while no job sleeps, it ends the next sleep."""

    def __init__(self) -> None:
        self.is_closed = False
        """Whether the job should stop."""
        self._rung = asyncio.Event()

    def notify(self) -> None:
        self._rung.set()

    def close(self) -> None:
        self.is_closed = True
        self.notify()

    async def sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            return
        self._rung.clear()
