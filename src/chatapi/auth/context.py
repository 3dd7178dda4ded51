"""Request contexts for services: the realm, the caller, the transaction and the events to emit."""

from collections.abc import AsyncIterator, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from urllib.parse import urlsplit

from msgspec import Struct, field
from typing_extensions import override

from chatapi.audit.entries import AuditChange, AuditOrigin, AuditSource
from chatapi.auth.caller_cache import Caller
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.auth.users import UserRecord
from chatapi.core.errors import StaleCallerError
from chatapi.core.ids import EventNumber, UserId
from chatapi.core.settings import Settings
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Audience, Users
from chatapi.events.event import Event
from chatapi.events.log import EventLog
from chatapi.events.unit_of_work import UnitOfWork

_HEAVY_STATEMENT_SECONDS = 10.0


class ProcessContext(Struct, frozen=True, kw_only=True, eq=False):
    """Context of a request about the process itself; no realm or user was looked up."""

    runtime: Runtime
    work: UnitOfWork

    @property
    def db(self) -> DatabaseSession:
        return self.work.db

    @property
    def caller_id(self) -> UserId | None:
        """The caller's id, None if the request is not authenticated."""
        return None

    @property
    def settings(self) -> Settings:
        return self.runtime.settings

    def now(self) -> datetime:
        return self.runtime.clock.now()

    async def release_connection(self) -> None:
        """Release the database connection, before slow work that does not need it.

        Call it before rendering, hashing, reading files, long polls, and waiting for another
        transaction. The next statement connects again. A snapshot or a lock of the realm ends, so
        it is an error after the first event was emitted.
        """
        await self.work.release_connection()

    async def recheck_caller(self) -> None:
        """Called by the route after an endpoint that reads, before the response is sent."""


class ServerContext(ProcessContext, frozen=True, kw_only=True, eq=False):
    """Context of a request to the server as such; the realm may be unknown."""

    origin: str
    """Scheme, host and port the client used."""
    maybe_realm: RealmRecord | None
    address: str = ""
    """The network address of the client, empty for work that no client requested."""

    @property
    def public_url(self) -> str:
        """The URL of this realm to show to users."""
        if self.settings.public_url and self.runtime.realms.is_single:
            return self.settings.public_url
        # With several realms, each was found by its own host name, which is the one the client
        # used.
        return self.origin


class RealmContext(ServerContext, frozen=True, kw_only=True, eq=False):
    """Context of a request to one realm, with or without a logged-in user."""

    realm: RealmRecord
    computed: dict[str, object] = field(default_factory=dict)
    """Results of expensive work that earlier attempts at the same request have left."""
    source: AuditSource = AuditSource.API
    """Where the work came from; the audit log says it."""

    @staticmethod
    def without_request(
        runtime: Runtime,
        work: UnitOfWork,
        realm: RealmRecord,
        source: AuditSource = AuditSource.SERVER,
    ) -> "RealmContext":
        """Context of a job or a command: there is no user whose permissions could be checked."""
        origin = runtime.settings.public_url or f"http://{realm.host(runtime.settings.root_domain)}"
        return RealmContext(
            runtime=runtime, work=work, origin=origin, maybe_realm=realm, realm=realm, source=source
        )

    def acting_as(self, caller: Caller, client_name: str) -> "Context":
        """The same context for what is done on behalf of a user."""
        return Context(
            runtime=self.runtime,
            work=self.work,
            origin=self.origin,
            maybe_realm=self.realm,
            realm=self.realm,
            caller=caller,
            client_name=client_name,
            address=self.address,
            computed=self.computed,
            source=self.source,
        )

    @property
    @override
    def caller_id(self) -> UserId | None:
        return None if self.reader is None else self.reader.id

    @property
    def maybe_caller(self) -> Caller | None:
        """The authenticated caller, None for a request without credentials."""
        return None

    @property
    def bot_domain(self) -> str:
        """The domain of new bots' email addresses: the host name that users know."""
        if self.settings.public_url and self.runtime.realms.is_single:
            host = urlsplit(self.settings.public_url).hostname or ""
            # An IPv6 address cannot be part of an email address.
            if host and ":" not in host:
                return host
        return self.realm.host(self.settings.root_domain)

    @asynccontextmanager
    async def heavy_read(self) -> AsyncIterator[None]:
        """Acquire a slot for a heavy read; a statement that takes too long fails.

        Use it around searches, large pages and the like, before the first statement: it releases
        the connection, since a request that waits for a slot must hold none.
        """
        await self.release_connection()
        async with self.runtime.heavy_reads.turn(self._workload_owner):
            self.db.statement_seconds = _HEAVY_STATEMENT_SECONDS
            try:
                yield
            finally:
                self.db.statement_seconds = None

    @asynccontextmanager
    async def state_read(self) -> AsyncIterator[None]:
        """Acquire a slot for reading the state of a new queue.

        Clients that all connect at once take turns, and leave connections to other requests. Enter
        it before the first statement: it releases the connection.
        """
        await self.release_connection()
        async with self.runtime.state_reads.turn(self._workload_owner):
            yield

    def heavy_rendering(self) -> AbstractAsyncContextManager[None]:
        """Acquire a slot for work that keeps one of the rendering threads busy."""
        return self.runtime.rendering.turn(self._workload_owner)

    @property
    def _workload_owner(self) -> Hashable:
        """Whose limit expensive work counts against: a user, an address, or the service itself."""
        is_users = self.caller_id is not None and self.address
        return self.caller_id if is_users else self.address

    async def lock(self) -> EventNumber:
        """Lock the realm against other writers; call it before the first write.

        Also checks, under the lock, that the caller has not changed since authentication and that a
        duplicate of this request has not been carried out in the meantime.
        """
        number = await self.db.lock_realm(self.realm.id)
        if self.maybe_caller is not None:
            await self._check_caller(number)
        if await self.work.was_answered_by_duplicate():
            raise StaleCallerError
        return number

    async def snapshot(self) -> EventNumber:
        """Begin a snapshot: later reads see one point in time, and the caller is valid as of it.

        Returns the number of the last event before it.
        """
        if self.db.was_locked_first:
            # The realm is locked, so all reads already see one point in time.
            self.db.as_of = number = await self.db.lock_realm(self.realm.id)
            return number
        await self.db.snapshot()
        reading = await EventLog(self.db).read_clock(self.realm.id)
        await self._check_caller(reading.last_event)
        self.db.as_of = reading.last_event
        return reading.last_event

    async def confirm_snapshot(self, as_of: EventNumber) -> None:
        """Use a single statement as a snapshot: it read the realm's last event with its rows.

        The caller is valid as of it, and caches know of it. Another statement would see another
        point in time.
        """
        await self._check_caller(as_of)
        self.db.as_of = as_of

    @override
    async def recheck_caller(self) -> None:
        """Check that the caller had not changed by the time of the last read.

        Another process may have committed a change that this one has not seen yet. A request that
        took a lock or a snapshot has checked already; others share one read of the realm clock.
        The route calls it after a read and before an error. Services of a POST that takes no lock
        call it first.
        """
        db = self.work.db
        if db.as_of is None and not db.has_locked(self.realm.id):
            await self.work.release_connection()
            await self.runtime.clock_reader.catch_up(self.realm.id)
            self._require_current()

    async def _check_caller(self, number: EventNumber) -> None:
        """Check the caller as of an event, which may be later than its authentication."""
        await self.runtime.hub.catch_up_to(self.db, self.realm.id, number)
        self._require_current()

    def _require_current(self) -> None:
        """Raise an error that restarts the request if the caller changed since authentication."""
        if self._is_outdated and not self.db.was_locked_first:
            raise StaleCallerError

    @property
    def _is_outdated(self) -> bool:
        caller = self.maybe_caller
        return caller is not None and caller.is_stale

    def emit(self, event: Event, to: Audience) -> None:
        """Emit an event about a change, in the transaction that makes it."""
        self.work.emit(self.realm.id, event, to)

    def audit(self, change: AuditChange) -> None:
        """Write an entry of the audit log about a change, in the transaction that makes it."""
        self.work.audit(self.realm.id, change, self._audit_origin())

    def _audit_origin(self) -> AuditOrigin:
        return AuditOrigin(self.source, address=self.address)

    @property
    def reader(self) -> UserRecord | None:
        """The user on whose behalf data is read, None if not logged in."""
        return None


class VisitorContext(RealmContext, frozen=True, kw_only=True, eq=False):
    """Context of a request that may or may not be authenticated."""

    visitor: Caller | None
    client_name: str = ""

    @property
    def of_user(self) -> "Context | None":
        """The same context for what only users can do, None for a visitor without an account."""
        if self.visitor is None:
            return None
        return self.acting_as(self.visitor, self.client_name)

    @property
    @override
    def _is_outdated(self) -> bool:
        if self.visitor is None:
            # What visitors without an account may see depends on the realm's settings alone.
            return not self.runtime.realms.is_current(self.realm)
        return super()._is_outdated

    @property
    @override
    def maybe_caller(self) -> Caller | None:
        return self.visitor

    @property
    @override
    def reader(self) -> UserRecord | None:
        return self.visitor.user if self.visitor else None


class Context(RealmContext, frozen=True, kw_only=True, eq=False):
    """Context of a request by an authenticated, active user."""

    caller: Caller
    client_name: str

    @property
    @override
    def maybe_caller(self) -> Caller:
        return self.caller

    @property
    @override
    def caller_id(self) -> UserId:
        return self.caller.user.id

    @property
    def user(self) -> UserRecord:
        return self.caller.user

    @override
    def _audit_origin(self) -> AuditOrigin:
        # The operator of the command line may act as any user: that user has done nothing.
        is_own = self.source is AuditSource.API
        acting_user_id = self.user.id if is_own else None
        return AuditOrigin(self.source, acting_user_id, self.address, self.client_name)

    def emit_to_caller(self, event: Event) -> None:
        """Emit an event that concerns only the caller, for the caller's other clients."""
        self.emit(event, to=Users.only(self.user.id))

    @property
    @override
    def reader(self) -> UserRecord:
        return self.caller.user
