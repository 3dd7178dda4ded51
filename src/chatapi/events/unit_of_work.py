"""One transaction and what it has to tell: events are written with it and published after it."""

from collections.abc import Callable, Collection

import structlog

from chatapi.core.clock import Clock
from chatapi.core.errors import AdmissionOutdatedError
from chatapi.core.ids import EventNumber, QueueId, RealmId
from chatapi.db.given_answers import GivenAnswers, Request
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Audience, Nobody
from chatapi.events.bus import Batch
from chatapi.events.entry import Entry
from chatapi.events.event import Event, QueuesEnded
from chatapi.events.hub import Hub
from chatapi.events.log import EventLog

log = structlog.get_logger()


class UnitOfWork:
    """Commits at the end; whoever raises before that has changed nothing."""

    def __init__(self, db: DatabaseSession, hub: Hub, clock: Clock) -> None:
        self.db = db
        self._hub = hub
        self._clock = clock
        self._request: Request | None = None
        self._outbox: dict[RealmId, list[tuple[Event, Audience]]] = {}
        self._after_commit: list[Callable[[], None]] = []

    def emit(self, realm_id: RealmId, event: Event, to: Audience) -> None:
        """Remember an event; it gets its number when the transaction is committed."""
        if event.is_logged and not self.db.has_locked(realm_id):
            raise RuntimeError("lock the realm before you write: its events have one order")
        self._outbox.setdefault(realm_id, []).append((event, to))

    def end_queues(self, realm_id: RealmId, queue_ids: Collection[QueueId]) -> None:
        """Tell all processes that queues were deleted in this transaction."""
        if queue_ids:
            self.emit(realm_id, QueuesEnded(queue_ids=frozenset(queue_ids)), Nobody())

    def name_request(self, request: Request) -> None:
        """The transaction belongs to a request that may be repeated: its answer is kept."""
        self._request = request

    @property
    def has_named_request(self) -> bool:
        return self._request is not None

    def hand_over_request(self) -> Request | None:
        """For whoever does the request's work in a transaction of its own, answer included."""
        request, self._request = self._request, None
        return request

    async def was_answered_meanwhile(self) -> bool:
        """Whether the request was sent twice at once, and the other one was first."""
        if self._request is None:
            return False
        return await GivenAnswers(self.db).find(self._request) is not None

    async def keep_answer(self, answer: str) -> None:
        """Remember what the request is answered with, if it has a name."""
        request = self.hand_over_request()
        if request is None:
            return
        await self.db.write()
        if not await GivenAnswers(self.db).keep(request, answer, self._clock.now()):
            # The same request came twice at once: this one starts over and finds the answer.
            raise AdmissionOutdatedError

    def after_commit(self, remember: Callable[[], None]) -> None:
        """Let a cache know of something as soon as it is true for everybody."""
        self._after_commit.append(remember)

    async def commit(self) -> None:
        """Write the events, commit, and only then tell anybody.

        Whoever has much to do may commit step by step: each time it is all of it so far.
        """
        batches = [await self._write_events(realm_id) for realm_id in self._outbox]
        after_commit = self._after_commit
        self._outbox = {}
        self._after_commit = []
        await self.db.commit()
        for remember in after_commit:
            remember()
        for batch in batches:
            self._publish(batch)

    def _publish(self, batch: Batch) -> None:
        try:
            self._hub.publish(batch)
        except Exception:
            # It is committed: whoever asked must not believe otherwise, nor try again. Feeds
            # find in the log what they have missed.
            log.exception("publishing_failed", realm_id=batch.realm_id)

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
