"""Applications that stand for processes on one database, and can be restarted."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeVar

from starlette.types import Receive, Scope, Send

from chatapi.core.settings import Settings
from chatapi.main import ChatApp
from tests.model.quick_client import QuickClient
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.databases import WorkerDatabase

T = TypeVar("T")
Make = Callable[["Processes"], Awaitable[T]]
"""Creates what a history begins with, through running processes; returns what describes it."""


class Processes:
    """Some applications that share a database and a clock.

    They run from `begin` on, and begin anew for each history.
    """

    def __init__(self, settings: Settings, database: WorkerDatabase, count: int = 2) -> None:
        self.clock = MovableClock()
        self._settings = settings
        self._database = database
        self._count = count
        self._stacks: list[AsyncExitStack] = []
        self.apps: list[ChatApp] = []

    def __len__(self) -> int:
        return self._count

    async def begin(self, name: str, make: Make[T]) -> T:
        """Start all processes over a database that contains nothing but what `make` creates.

        `make` runs once for each name: its rows are kept, and copies of its result returned.
        Creating a realm with its users takes longer than starting all processes.
        """
        await self.stop()
        made = await self._database.fill(("model", name), lambda _url: self._create(make))
        await self._start()
        return deepcopy(made)

    async def _create(self, make: Make[T]) -> T:
        await self._start()
        try:
            return await make(self)
        finally:
            await self.stop()

    async def _start(self) -> None:
        # What is kept was created at the beginning of the same clock.
        self.clock = MovableClock()
        for _ in range(self._count):
            stack = AsyncExitStack()
            self.apps.append(await stack.enter_async_context(self._new_app()))
            self._stacks.append(stack)

    async def stop(self) -> None:
        while self._stacks:
            await self._stacks.pop().aclose()
        self.apps.clear()

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
