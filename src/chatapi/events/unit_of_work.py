"""One transaction and its events, which are written with it and published after the commit."""

from collections.abc import Callable, Collection
from types import TracebackType
from typing import Self

import structlog

from chatapi.audit.entries import AuditChange, AuditOrigin
from chatapi.audit.log import AuditLog
from chatapi.core.clock import Clock
from chatapi.core.errors import StaleCallerError
from chatapi.core.ids import EventNumber, QueueId, RealmId
from chatapi.db.idempotency_store import IdempotencyKey, IdempotencyStore
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Audience, Nobody
from chatapi.events.bus import Batch
from chatapi.events.entry import Entry
from chatapi.events.event import Event, QueuesDeleted
from chatapi.events.hub import Hub
from chatapi.events.log import EventLog

log = structlog.get_logger()


class UnitOfWork:
    """Commits at the end; an exception before that leaves the database unchanged.

    The route commits the unit of work of a request. Everywhere else it is a context manager, which
    commits at the end of the block.
    """

    def __init__(self, db: DatabaseSession, hub: Hub, clock: Clock) -> None:
        self.db = db
        self._hub = hub
        self._clock = clock
        self._idempotency_key: IdempotencyKey | None = None
        self._outbox: dict[RealmId, list[tuple[Event, Audience]]] = {}
        self._audit_entries: dict[RealmId, list[tuple[AuditChange, AuditOrigin]]] = {}
        self._after_commit: list[Callable[[], None]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                await self.commit()
        finally:
            await self.close()

    async def close(self) -> None:
        """Release all resources; what was not committed is rolled back."""
        if self.db.is_used:
            await self.db.close()

    async def release_connection(self) -> None:
        """Release the connection, a snapshot and a lock; the next statement connects again.

        Only before the first write: it would be rolled back, and its events would announce it.
        """
        if self._outbox or self._audit_entries:
            raise RuntimeError("release the connection before you emit events")
        if self.db.is_used:
            await self.db.close()

    def emit(self, realm_id: RealmId, event: Event, to: Audience) -> None:
        """Emit an event with the commit; it gets its number when the transaction is committed."""
        if event.is_logged and not self.db.has_locked(realm_id):
            raise RuntimeError("lock the realm before you write: its events have one order")
        self._outbox.setdefault(realm_id, []).append((event, to))

    def audit(self, realm_id: RealmId, change: AuditChange, origin: AuditOrigin) -> None:
        """Write an entry of the audit log with the commit; services call `ctx.audit`."""
        if not self.db.has_locked(realm_id):
            raise RuntimeError("lock the realm before you write: its audit log has one order")
        self._audit_entries.setdefault(realm_id, []).append((change, origin))

    def end_queues(self, realm_id: RealmId, queue_ids: Collection[QueueId]) -> None:
        """Notify all processes that queues were deleted in this transaction."""
        if queue_ids:
            self.emit(realm_id, QueuesDeleted(queue_ids=frozenset(queue_ids)), Nobody())

    def set_idempotency_key(self, key: IdempotencyKey) -> None:
        """Set the key of a request that may be repeated: its response is stored."""
        self._idempotency_key = key

    @property
    def has_idempotency_key(self) -> bool:
        return self._idempotency_key is not None

    def take_idempotency_key(self) -> IdempotencyKey | None:
        """Return the key and clear it, to store the response in another transaction.

        For use cases that do the request's work, and store its response, in a transaction of
        their own.
        """
        key, self._idempotency_key = self._idempotency_key, None
        return key

    async def was_answered_by_duplicate(self) -> bool:
        """Whether the request was sent twice at once, and the other one was committed first."""
        if self._idempotency_key is None:
            return False
        return await IdempotencyStore(self.db).find(self._idempotency_key) is not None

    async def store_response(self, response: str) -> None:
        """Store the response of the request, if it has an idempotency key."""
        key = self.take_idempotency_key()
        if key is None:
            return
        await self.db.write()
        if not await IdempotencyStore(self.db).store(key, response, self._clock.now()):
            # The same request came twice at once: this one starts over and finds the response.
            raise StaleCallerError

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call back after the commit: for caches, once a change is visible to all processes."""
        self._after_commit.append(callback)

    async def commit(self) -> None:
        """Write audit entries and events, commit, and only then publish the events.

        Long work may commit in steps: each commit covers everything since the one before.
        """
        if not (self._audit_entries or self._outbox or self._after_commit or self.db.is_used):
            return
        batches = await self._write_outbox()
        after_commit, self._after_commit = self._after_commit, []
        if self.db.is_used:
            await self.db.commit()
        for callback in after_commit:
            callback()
        for batch in batches:
            self._publish(batch)

    async def dry_run(self) -> None:
        """Run the statements of a commit, and roll everything back; nothing is published.

        It shows that everything could be written, and prepares this process for doing so.
        """
        await self._write_outbox()
        self._after_commit = []
        await self.db.dry_run()

    async def _write_outbox(self) -> list[Batch]:
        """Write audit entries and events; returns the events to publish after the commit."""
        for realm_id, entries in self._audit_entries.items():
            await AuditLog(self.db).append(realm_id, entries, self._clock.now())
        batches = [await self._write_events(realm_id) for realm_id in self._outbox]
        self._audit_entries = {}
        self._outbox = {}
        return batches

    def _publish(self, batch: Batch) -> None:
        try:
            self._hub.publish(batch)
        except Exception:
            # The transaction is committed: the caller must not get an error and retry. Feeds
            # read from the log what they have missed.
            log.exception("publishing_failed", realm_id=batch.realm_id)

    async def _write_events(self, realm_id: RealmId) -> Batch:
        logged: list[Entry] = []
        ephemeral: list[Entry] = []
        for event, audience in self._outbox[realm_id]:
            if event.is_logged:
                number = EventNumber(await self.db.lock_realm(realm_id) + len(logged) + 1)
                logged.append(Entry(realm_id, number, event, audience))
            else:
                ephemeral.append(Entry(realm_id, EventNumber(0), event, audience))
        if logged:
            await EventLog(self.db).append(realm_id, logged, self._clock.now())
        return Batch(realm_id=realm_id, logged=tuple(logged), ephemeral=tuple(ephemeral))
