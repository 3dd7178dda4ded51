"""Looks at the clocks of realms, shared by the requests that ask at the same time."""

import asyncio

from chatapi.core.ids import RealmId
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.events.hub import Hub
from chatapi.events.log import EventLog


class ClockReader:
    """Makes sure that this process has seen what others have committed.

    A statement for each request would cost as much as many requests do. A request that asks while
    a look is under way shares the next one: the one under way may have begun too early for it.
    """

    def __init__(self, database: Database, hub: Hub) -> None:
        self._database = database
        self._hub = hub
        self._running: dict[RealmId, asyncio.Task[None]] = {}
        self._next: dict[RealmId, asyncio.Task[None]] = {}

    async def catch_up(self, realm_id: RealmId) -> None:
        """Return when caches know of every event that was committed before the call.

        Call it without holding a database connection: the look needs one.
        """
        read_task = self._next.get(realm_id)
        if read_task is None:
            read_task = asyncio.create_task(self._read(realm_id))
            self._next[realm_id] = read_task
        # A request that is cancelled must not take the look away from the others.
        await asyncio.shield(read_task)

    async def _read(self, realm_id: RealmId) -> None:
        while (running := self._running.get(realm_id)) is not None:
            await asyncio.wait([running])
        self._running[realm_id] = self._next.pop(realm_id)
        try:
            async with DatabaseSession(self._database) as db:
                reading = await EventLog(db).read_clock(realm_id)
                await self._hub.catch_up_to(db, realm_id, reading.last_event)
        finally:
            del self._running[realm_id]
