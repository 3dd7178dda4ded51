"""Events and flow control of connections, which take little memory while no task waits for them."""

import asyncio

from uvicorn.protocols.http.flow_control import FlowControl


class QuietEvent:
    """An `asyncio.Event` without room for waiters until there is one.

    A connection has one, and so has each of its requests. Hardly any task ever waits for them, and
    an empty deque for those that might takes 600 bytes.
    """

    __slots__ = ("_is_set", "_waited_for")

    def __init__(self) -> None:
        self._is_set = False
        self._waited_for: asyncio.Event | None = None

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        if self._waited_for is not None:
            self._waited_for.set()
            self._waited_for = None

    def clear(self) -> None:
        self._is_set = False

    async def wait(self) -> None:
        if not self._is_set:
            if self._waited_for is None:
                self._waited_for = asyncio.Event()
            await self._waited_for.wait()


class QuietFlowControl(FlowControl):
    """uvicorn's flow control, with a quiet event."""

    __slots__ = ()

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.read_paused = False
        self.write_paused = False
        self._is_writable_event = QuietEvent()  # type: ignore[assignment]  # all that is used of it
        self._is_writable_event.set()
