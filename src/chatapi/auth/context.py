"""What a service is given: the realm, the person, the transaction and a place for events."""

from collections.abc import AsyncIterator, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

from typing_extensions import override

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


@dataclass(frozen=True)
class ProcessContext:
    """A question about the process itself; nothing was looked up to ask it."""

    runtime: Runtime
    work: UnitOfWork

    @property
    def db(self) -> DatabaseSession:
        return self.work.db

    @property
    def caller_id(self) -> UserId | None:
        """Who calls, None for somebody who is not logged in."""
        return None

    @property
    def settings(self) -> Settings:
        return self.runtime.settings

    def now(self) -> datetime:
        return self.runtime.clock.now()

    async def recheck_caller(self) -> None:
        """Called by the route when an endpoint that reads is done, before anything is answered."""


@dataclass(frozen=True)
class ServerContext(ProcessContext):
    """A request to the server as such; the organization may be unknown."""

    origin: str
    """Scheme, host and port the client used."""
    maybe_realm: RealmRecord | None
    address: str = field(default="", kw_only=True)
    """The network address of the client, empty for what no client asked for."""

    @property
    def public_url(self) -> str:
        """The address of this organization as people should write it."""
        if self.settings.public_url and self.runtime.realms.is_single:
            return self.settings.public_url
        # Each of several organizations was found by its own name, the one the client used.
        return self.origin


@dataclass(frozen=True)
class RealmContext(ServerContext):
    """A request to one organization, by somebody who may be anybody."""

    realm: RealmRecord
    computed: dict[str, object] = field(default_factory=dict, kw_only=True)
    """Results of expensive work that earlier attempts at the same request have left."""

    @property
    @override
    def caller_id(self) -> UserId | None:
        return None if self.reader is None else self.reader.id

    @property
    def maybe_caller(self) -> Caller | None:
        """Whom the gate let in, None for anybody."""
        return None

    @asynccontextmanager
    async def heavy_read(self) -> AsyncIterator[None]:
        """Take a turn at reading much; a statement that takes too long is refused.

        Use it around searches, large pages and the like, before the first statement: what was
        opened is given back, since a request that waits for its turn must hold no connection.
        """
        await self.db.close()
        async with self.runtime.heavy_reads.turn(self._workload_owner):
            self.db.statement_seconds = _HEAVY_STATEMENT_SECONDS
            try:
                yield
            finally:
                self.db.statement_seconds = None

    def heavy_rendering(self) -> AbstractAsyncContextManager[None]:
        """Take a turn at keeping one of the rendering threads busy."""
        return self.runtime.rendering.turn(self._workload_owner)

    @property
    def _workload_owner(self) -> Hashable:
        """Whom expensive work is counted for: a user, an address, or the service itself."""
        is_users = self.caller_id is not None and self.address
        return self.caller_id if is_users else self.address

    async def lock(self) -> EventNumber:
        """Call before the first write: from here on the organization stands still for others.

        Also makes sure that the caller is, under the lock, still who they were at the gate, and
        that the same request, sent a second time, has not been carried out meanwhile.
        """
        number = await self.db.lock_realm(self.realm.id)
        if self.maybe_caller is not None:
            await self._check_caller(number)
        if await self.work.was_answered_by_duplicate():
            raise StaleCallerError
        return number

    async def snapshot(self) -> EventNumber:
        """From here on reads see one moment, and the caller is who they were at that moment.

        Returns the number of the last event before it.
        """
        if self.db.was_locked_first:
            # The organization stands still: what is read now is one moment.
            self.db.as_of = number = await self.db.lock_realm(self.realm.id)
            return number
        await self.db.snapshot()
        reading = await EventLog(self.db).read_clock(self.realm.id)
        await self._check_caller(reading.last_event)
        self.db.as_of = reading.last_event
        return reading.last_event

    @override
    async def recheck_caller(self) -> None:
        """Make sure that the caller still was who they were when the last of it was read.

        Other processes may have said otherwise without this one having heard of it. Whoever
        took a lock or a snapshot knows; others share a look at the clock.
        """
        if self.db.as_of is None and not self.db.has_locked(self.realm.id):
            await self.db.close()
            await self.runtime.clock_reader.catch_up(self.realm.id)
            self._require_current()

    async def _check_caller(self, number: EventNumber) -> None:
        """The caller was found at the gate, perhaps before an event this session already sees."""
        await self.runtime.hub.catch_up_to(self.db, self.realm.id, number)
        self._require_current()

    def _require_current(self) -> None:
        """Start over if what was found at the gate is no longer so."""
        if not self.db.was_locked_first and self._is_outdated:
            raise StaleCallerError

    @property
    def _is_outdated(self) -> bool:
        return self.maybe_caller is not None and self.maybe_caller.is_stale

    def emit(self, event: Event, to: Audience) -> None:
        """Tell clients about a change, in the transaction that makes it."""
        self.work.emit(self.realm.id, event, to)

    @property
    def reader(self) -> UserRecord | None:
        """Who reads, None for a person who is not logged in."""
        return None


@dataclass(frozen=True)
class VisitorContext(RealmContext):
    """A request by somebody who may or may not be logged in."""

    visitor: Caller | None

    @property
    @override
    def _is_outdated(self) -> bool:
        if self.visitor is None:
            # What strangers may see is for the organization alone to say.
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


@dataclass(frozen=True)
class Context(RealmContext):
    """A request by a known, active user."""

    caller: Caller
    client_name: str

    @property
    @override
    def maybe_caller(self) -> Caller:
        return self.caller

    @property
    def user(self) -> UserRecord:
        return self.caller.user

    def emit_to_caller(self, event: Event) -> None:
        """Emit what concerns nobody but the caller, whose other clients should know it."""
        self.emit(event, to=Users.only(self.user.id))

    @property
    @override
    def reader(self) -> UserRecord:
        return self.caller.user
