"""Reads the clocks of realms; requests that ask at the same time share one read."""

import asyncio

from chatapi.core.ids import RealmId
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.events.hub import Hub
from chatapi.events.log import EventLog


class ClockReader:
    """Makes sure that this process has seen the events that other processes have committed.

    A statement for each request would cost as much as many requests do. A request that asks while
    a read is running shares the next one: the running one may have begun too early for it.
    """

    def __init__(self, database: Database, hub: Hub) -> None:
        self._database = database
        self._hub = hub
        self._running: dict[RealmId, asyncio.Task[None]] = {}
        self._next: dict[RealmId, asyncio.Task[None]] = {}

    async def catch_up(self, realm_id: RealmId) -> None:
        """Return when caches know of every event that was committed before the call.

        Call it without holding a database connection: the read needs one.
        """
        read_task = self._next.get(realm_id)
        if read_task is None:
            read_task = asyncio.create_task(self._read(realm_id))
            self._next[realm_id] = read_task
        # A cancelled request must not cancel the read for the others.
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
