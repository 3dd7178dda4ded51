"""Applications that stand for processes on one database, and can be restarted.

With a Valkey between them, one of them leads the writes of a realm, and the others forward theirs.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeVar

from redis.asyncio import Redis
from sqlalchemy import func, select
from starlette.types import Receive, Scope, Send

from chatapi.core.ids import RealmId
from chatapi.core.settings import Settings
from chatapi.db.models import StoredResponseRow
from chatapi.main import ChatApp
from tests.model.quick_client import QuickClient
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.databases import WorkerDatabase
from tests.support.temporary_valkey import TemporaryValkey
from tests.support.waiting import until

T = TypeVar("T")
Make = Callable[["Processes"], Awaitable[T]]
"""Creates what a history begins with, through running processes; returns what describes it."""


class Processes:
    """Some applications that share a database and a clock.

    They run from `begin` on, and begin anew for each history.
    """

    def __init__(
        self,
        settings: Settings,
        database: WorkerDatabase,
        count: int = 2,
        valkey: TemporaryValkey | None = None,
    ) -> None:
        """With a Valkey, which has to be theirs alone, they know of each other."""
        self.clock = MovableClock()
        self.forwarded = 0
        """How many messages were forwarded, in histories that have ended."""
        redis_url = "" if valkey is None else valkey.url
        self._settings = settings.model_copy(update={"redis_url": redis_url})
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
        # The processes of the last history hold leases on realms with the same ids.
        await self.lose_leases()
        for _ in range(self._count):
            stack = AsyncExitStack()
            self.apps.append(await stack.enter_async_context(self._new_app()))
            self._stacks.append(stack)

    async def stop(self) -> None:
        if self.apps:
            self.forwarded += await self._count_forwarded()
        while self._stacks:
            await self._stacks.pop().aclose()
        self.apps.clear()

    async def restart(self, number: int) -> None:
        """Stop a process as a deployment does, and start it again with empty caches."""
        await self._stacks[number].aclose()
        self._stacks[number] = AsyncExitStack()
        self.apps[number] = await self._stacks[number].enter_async_context(self._new_app())

    async def compete(self, realm_id: RealmId, first: int) -> None:
        """Let all processes find that others write in a realm, until they follow one of them.

        If no process leads so far, the process with the number `first` does from now on.
        """
        forwarders = [app.runtime.write_forwarder for app in self.apps]
        in_turn = [*forwarders[first:], *forwarders[:first]]

        def follow() -> bool:
            for forwarder in in_turn:
                forwarder.note_competition(realm_id)
            followers = sum(each.has_other_leader(realm_id) for each in forwarders)
            return followers == len(forwarders) - 1

        await until(follow)

    async def lose_leases(self) -> None:
        """Take the leases from the processes that lead: for a while, several processes may."""
        if self._settings.redis_url:
            async with Redis.from_url(self._settings.redis_url) as redis:
                await redis.flushdb()

    async def _count_forwarded(self) -> int:
        """How many messages of this history were forwarded: only these have such a key."""
        statement = select(func.count()).where(StoredResponseRow.key.startswith("forwarded:"))
        async with self.apps[0].runtime.reading() as db:
            return (await db.execute(statement)).scalar_one()

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
