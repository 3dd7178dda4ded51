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
        self._waiting: dict[RealmId, list[asyncio.Future[None]]] = {}
        """The requests that share the next read of each realm."""
        self._reading: dict[RealmId, asyncio.Task[None]] = {}

    async def catch_up(self, realm_id: RealmId) -> None:
        """Return when caches know of every event that was committed before the call.

        Call it without holding a database connection: the read needs one.
        """
        # Each request waits for a future of its own: if it is cancelled, the read goes on.
        caught_up = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(realm_id, []).append(caught_up)
        if realm_id not in self._reading:
            self._reading[realm_id] = asyncio.create_task(self._read_for_waiting(realm_id))
        await caught_up

    async def _read_for_waiting(self, realm_id: RealmId) -> None:
        """Read until no request waits any more."""
        try:
            while waiting := self._waiting.pop(realm_id, None):
                await self._read_for(realm_id, waiting)
        finally:
            del self._reading[realm_id]

    async def _read_for(self, realm_id: RealmId, waiting: list[asyncio.Future[None]]) -> None:
        try:
            async with DatabaseSession(self._database) as db:
                reading = await EventLog(db).read_clock(realm_id)
                await self._hub.catch_up_to(db, realm_id, reading.last_event)
        except asyncio.CancelledError:
            for caught_up in waiting:
                caught_up.cancel()
            raise
        except Exception as error:  # noqa: BLE001 (every waiting request gets it)
            for caught_up in waiting:
                if not caught_up.done():
                    caught_up.set_exception(error)
        else:
            for caught_up in waiting:
                if not caught_up.done():
                    caught_up.set_result(None)
