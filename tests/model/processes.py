"""Applications that stand for processes on one database, and can be restarted."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Self

from starlette.types import Receive, Scope, Send

from chatapi.core.settings import Settings
from chatapi.main import ChatApp
from tests.model.world import QuickClient
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock


class Processes:
    """Some applications that share a database and a clock."""

    def __init__(self, settings: Settings, clock: MovableClock, count: int = 2) -> None:
        self.clock = clock
        self._settings = settings
        self._count = count
        self._stacks: list[AsyncExitStack] = []
        self.apps: list[ChatApp] = []

    def __len__(self) -> int:
        return self._count

    async def __aenter__(self) -> Self:
        for _ in range(self._count):
            stack = AsyncExitStack()
            self.apps.append(await stack.enter_async_context(self._new_app()))
            self._stacks.append(stack)
        return self

    async def __aexit__(self, *_error: object) -> None:
        for stack in self._stacks:
            await stack.aclose()

    async def restart(self, number: int) -> None:
        """Stop a process as a deployment does, and start it again with empty caches."""
        await self._stacks[number].aclose()
        self._stacks[number] = AsyncExitStack()
        self.apps[number] = await self._stacks[number].enter_async_context(self._new_app())

    def clients(self, host: str) -> Sequence[ApiClient]:
        """A client of each process, which stays usable after a restart."""
        return [QuickClient(_Current(self, number), host) for number in range(self._count)]

    def _new_app(self) -> AbstractAsyncContextManager[ChatApp]:
        return running_app(self._settings, self.clock)


@dataclass(frozen=True)
class _Current:
    """Forwards to the application that currently is the process with this number."""

    processes: Processes
    number: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.processes.apps[self.number](scope, receive, send)
