"""One transaction and what it has to tell: events are written with it and published after it."""

from chatapi.core.clock import Clock
from chatapi.core.ids import EventNumber, QueueId, RealmId
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Audience
from chatapi.events.bus import Batch
from chatapi.events.entry import Entry
from chatapi.events.event import Event
from chatapi.events.hub import Hub
from chatapi.events.log import EventLog


class UnitOfWork:
    """Commits once, at the end; whoever raises before that has changed nothing."""

    def __init__(self, db: DatabaseSession, hub: Hub, clock: Clock) -> None:
        self.db = db
        self._hub = hub
        self._clock = clock
        self._outbox: dict[RealmId, list[tuple[Event, Audience]]] = {}
        self._closed_queues: dict[RealmId, list[QueueId]] = {}

    def emit(self, realm_id: RealmId, event: Event, to: Audience) -> None:
        """Remember an event; it gets its number when the transaction is committed."""
        if event.is_logged and not self.db.has_locked(realm_id):
            raise RuntimeError("lock the realm before you write: its events have one order")
        self._outbox.setdefault(realm_id, []).append((event, to))

    def close_queue(self, realm_id: RealmId, queue_id: QueueId) -> None:
        """Tell all processes, after the commit, that a queue is gone."""
        self._closed_queues.setdefault(realm_id, []).append(queue_id)

    async def commit(self) -> None:
        """Write the events, commit, and only then tell anybody."""
        batches = [await self._write_events(realm_id) for realm_id in self._outbox]
        batches += [
            Batch(realm_id=realm_id, closed_queues=tuple(queues))
            for realm_id, queues in self._closed_queues.items()
        ]
        self._outbox = {}
        self._closed_queues = {}
        await self.db.commit()
        for batch in batches:
            self._hub.publish(batch)

    async def _write_events(self, realm_id: RealmId) -> Batch:
        logged: list[Entry] = []
        fleeting: list[Entry] = []
        for event, audience in self._outbox[realm_id]:
            if event.is_logged:
                number = EventNumber(await self.db.lock_realm(realm_id) + len(logged) + 1)
                logged.append(Entry(realm_id, number, event, audience))
            else:
                fleeting.append(Entry(realm_id, EventNumber(0), event, audience))
        if logged:
            await EventLog(self.db).append(realm_id, logged, self._clock.now())
        return Batch(realm_id=realm_id, logged=tuple(logged), fleeting=tuple(fleeting))
