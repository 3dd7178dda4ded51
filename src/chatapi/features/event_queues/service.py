"""Use cases: register, poll and delete event queues."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError, StaleCallerError
from chatapi.core.ids import EventId, EventNumber, QueueId, UserId
from chatapi.core.roles import Role
from chatapi.events.client import ClientProfile
from chatapi.events.entry import Piece
from chatapi.events.event_ids import id_of
from chatapi.events.live_queue import Reader
from chatapi.events.waiting_poll import PollConnection
from chatapi.features.event_queues.choices import is_wanted, profile_of
from chatapi.features.event_queues.params import GetEventsParams, RegisterParams
from chatapi.features.event_queues.payloads import EventsPayload, QueuePayload, events_payload
from chatapi.features.state import sections_for_users
from chatapi.features.users import past_roles
from chatapi.narrow import read_terms, resolve_narrow
from chatapi.permissions.messages import message_access
from chatapi.permissions.readers import membership_of
from chatapi.permissions.user_visibility import sees_all_users, user_visibility
from chatapi.wire.version import VERSION_PAYLOAD

_BEFORE_ALL_EVENTS = -1
_NOBODY: frozenset[UserId] = frozenset()
"""One for all readers: an empty set takes 216 bytes."""


class InitialState(Struct, frozen=True):
    """What a client starts with, and from where its events go on."""

    state: Mapping[str, Any]
    position: EventNumber
    """The last event that the state includes."""
    profile: ClientProfile


class EventQueueService:
    """Manages the event queues of a client."""

    __slots__ = ("_ctx", "_queues")

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._queues = ctx.runtime.queues

    async def register(self, params: RegisterParams) -> Mapping[str, Any]:
        """State and event number of one snapshot, and a queue that continues from there."""
        if params.all_public_streams and self._ctx.user.role is Role.GUEST:
            raise BadRequestError("Guests cannot use all_public_streams")
        initial = await self.read_state(params)
        idle_seconds = self._idle_seconds(params)
        reader = await self._reader()
        begins_after = id_of(initial.position)
        queue_id = await self._queues.create(reader, initial.profile, begins_after, idle_seconds)
        return {**initial.state, **_queue_payload(queue_id, begins_after, idle_seconds)}

    async def read_state(self, params: RegisterParams) -> InitialState:
        """Read everything that a client starts with, in one snapshot."""
        state: dict[str, Any] = {}
        async with self._ctx.state_read():
            # First: the reader's groups and channels are part of what it reads.
            position = await self._ctx.snapshot()
            access = await message_access(self._ctx)
            narrow = await resolve_narrow(self._ctx, access, read_terms(params.narrow))
            profile = profile_of(params, narrow)
            for section in sections_for_users():
                if is_wanted(section.fetch_types, params):
                    state.update(await section.read(self._ctx, profile))
            await self._ctx.release_connection()
        return InitialState(state, position, profile)

    async def read(self, params: GetEventsParams, connection: PollConnection) -> EventsPayload:
        """GET /events; a poll that does not wait misses nothing that was committed before it.

        One that waits may be responded to meanwhile, and then returns no events.
        """
        reader = await self._reader()
        queue_id, position = QueueId(params.queue_id), _position(params.last_event_id)
        blocking = not params.dont_block
        # A waiting poll would keep them in memory.
        del params
        if not blocking:
            # Other processes may have committed events that this one has not seen yet.
            await self._ctx.runtime.clock_reader.catch_up(self._ctx.realm.id)
        found = await self._queues.poll(
            reader, queue_id, position, blocking=blocking, connection=connection
        )
        return events_payload(found)

    async def follow(
        self, params: GetEventsParams, resume_after: int | None
    ) -> AsyncGenerator[Piece, None]:
        """The same events one by one, until the reader disconnects."""
        queue_id = QueueId(params.queue_id)
        position = _position(params.last_event_id if resume_after is None else resume_after)
        # The first poll may refuse, while that can still be an ordinary error response.
        reader = await self._reader()
        found = await self._queues.poll(reader, queue_id, position, blocking=False)
        return self._follow(reader, queue_id, position, found)

    async def delete(self, queue_id: str) -> None:
        await self._queues.delete(await self._reader(), QueueId(queue_id))

    async def _reader(self) -> Reader:
        reader = await self._ctx.caller.memoize("reader", self._work_out_reader)
        if not reader.sees_all_users:
            # With whom a user shares conversations changes without the user's record changing.
            visibility = await user_visibility(self._ctx)
            reader = replace(reader, visible_user_ids=visibility.visible_user_ids)
            await self._ctx.release_connection()
            # The events that made these users visible have to be known, too.
            await self._ctx.runtime.clock_reader.catch_up(self._ctx.realm.id)
        # A long poll must not hold the connection that the lookup may have needed.
        await self._ctx.release_connection()
        return reader

    async def _work_out_reader(self) -> Reader:
        user, caller = self._ctx.user, self._ctx.caller
        return Reader(
            realm_id=self._ctx.realm.id,
            user_id=user.id,
            role=user.role,
            past_roles=await past_roles(self._ctx, user),
            sees_all_users=sees_all_users(self._ctx.realm, user),
            visible_user_ids=_NOBODY,
            receives_typing=user.options.receives_typing_notifications,
            membership=await membership_of(self._ctx),
            is_current=lambda: not caller.is_stale,
        )

    async def _follow(
        self, reader: Reader, queue_id: QueueId, position: int, found: list[Piece]
    ) -> AsyncGenerator[Piece, None]:
        # The stream also ends when the caller became stale: a client that reconnects is checked
        # again.
        with suppress(StaleCallerError):
            while not self._ctx.runtime.hub.is_closing:
                for piece in found:
                    position = piece.id
                    yield piece
                # What was sent may not have arrived: only the client can acknowledge it.
                found = await self._queues.poll(
                    reader, queue_id, position, blocking=True, acknowledges=False
                )

    def _idle_seconds(self, params: RegisterParams) -> int:
        """The idle time that the client requested, limited to how far the log reaches back."""
        settings = self._ctx.settings
        longest = settings.event_log_hours * 3600
        if params.idle_queue_timeout == "mobile":
            return longest
        return min(params.idle_queue_timeout or settings.queue_idle_seconds, longest)


def _position(last_event_id: int | None) -> int:
    return _BEFORE_ALL_EVENTS if last_event_id is None else last_event_id


def _queue_payload(queue_id: QueueId, last_event: EventId, idle_seconds: int) -> QueuePayload:
    return {
        "queue_id": queue_id,
        "last_event_id": last_event,
        "idle_queue_timeout_secs": idle_seconds,
        **VERSION_PAYLOAD,
    }
