"""Carries the messages of a move to their new place, a batch at a time."""

from collections.abc import Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.core.ids import ConversationId, EventNumber, MessageId
from chatapi.features.messages.move.batch_size import limit_exceptions
from chatapi.features.messages.move.move import Move
from chatapi.features.messages.move.move_events import emit_move_events
from chatapi.features.messages.move.repository import (
    BatchRepository,
    Change,
    FoundMessages,
    MoveRepository,
    Places,
    ReadStateRepository,
)
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.features.messages.move.stars import emit_star_events
from chatapi.features.messages.repository import DeletionRepository, Extent, MessageRepository

_MAX_EXCEPTIONS = 2_000_000
"""Messages times readers for whom they may differ. Above it, only positions are carried over."""
_SHARE_OF_REQUEST = 15
"""Of a long move, the request moves this part of a batch: its transaction has more to do besides,
and a job goes on at once."""


class Carried(Struct, frozen=True):
    """What was moved, and what is left."""

    count: int
    rest: MessageSelection | None
    """None: nothing is left to be moved."""
    adds_exceptions: bool
    """Whether differences of the read state are stored; applies to the whole move."""


class _Batch(Struct, frozen=True):
    """Messages that are moved now, and the selection of those before them, if any."""

    arrivals: Mapping[MessageId, EventNumber | None]
    have_exceptions: bool
    rest: MessageSelection | None


class MessageCarrier:
    """Moves messages other than by renaming their topic; the realm is locked."""

    def __init__(self, ctx: RealmContext, move: Move) -> None:
        self._ctx = ctx
        self._move = move
        self._batches = BatchRepository(ctx.db)

    async def carry_first(self, limit: int) -> Carried:
        """Move all messages if they are at most `limit`, otherwise a few of the newest.

        Decides for the whole move whether differences of the read state are stored.
        """
        found = await self._batches.find_newest(self._move.selection, limit + 1)
        if not found.arrivals:
            return Carried(0, None, adds_exceptions=False)
        if len(found.arrivals) > limit:
            limit = max(1, limit // _SHARE_OF_REQUEST)
        places = await self._places(found.arrivals)
        await self._carry_positions(places)
        readers = await count_different_readers(self._ctx, self._move, places)
        adds_exceptions = await self._has_few_exceptions(readers)
        if adds_exceptions:
            limit = limit_exceptions(limit, readers)
        batch = self._newest(found, limit)
        await self._move_batch(batch, places, adds_exceptions=adds_exceptions and readers > 0)
        return Carried(len(batch.arrivals), batch.rest, adds_exceptions)

    async def carry(self, limit: int, *, adds_exceptions: bool) -> Carried:
        """Move the newest of the messages that are left, at most `limit`.

        Messages that were moved away or deleted since the request are left alone.
        """
        found = await self._batches.find_newest(self._move.selection, limit + 1)
        if not found.arrivals:
            return Carried(0, None, adds_exceptions)
        places = await self._places(found.arrivals)
        await self._carry_positions(places)
        batch = self._newest(found, limit)
        await self._move_batch(batch, places, adds_exceptions=adds_exceptions)
        return Carried(len(batch.arrivals), batch.rest, adds_exceptions)

    async def _places(self, found: Collection[MessageId]) -> Places:
        """Source and target; a topic that does not exist yet is created."""
        move, ctx = self._move, self._ctx
        target_id = (
            await MessageRepository(ctx.db, ctx.realm.id).add_topic(
                move.target.id, move.topic, max(found)
            )
            if move.target_topic is None
            else move.target_topic.id
        )
        return places_of(move, target_id, max(found))

    async def _carry_positions(self, places: Places) -> None:
        read_state = ReadStateRepository(self._ctx.db, places)
        target_topic = self._move.target_topic
        if target_topic is None:
            await read_state.begin()
        elif target_topic.last_message_id < places.last:
            await read_state.join(target_topic.last_message_id)

    async def _has_few_exceptions(self, readers: int) -> bool:
        if readers == 0:
            return True
        most = _MAX_EXCEPTIONS // readers
        repository = MoveRepository(self._ctx.db, self._ctx.realm.id)
        return await repository.count(self._move.selection, most + 1) <= most

    def _newest(self, found: FoundMessages, limit: int) -> _Batch:
        ids = list(found.arrivals)
        if len(ids) <= limit:
            return _Batch(found.arrivals, found.have_exceptions, rest=None)
        arrivals = {message_id: found.arrivals[message_id] for message_id in ids[-limit:]}
        rest = replace(self._move.selection, up_to=ids[-limit - 1])
        return _Batch(arrivals, found.have_exceptions, rest)

    async def _move_batch(self, batch: _Batch, places: Places, *, adds_exceptions: bool) -> None:
        """Move some messages with their read state and history, and emit the events of that."""
        move, ctx = self._move, self._ctx
        await self._move_read_state(batch, places, adds_exceptions=adds_exceptions)
        # The move's event number: current subscribers joined before it, later ones after it.
        number = EventNumber(await ctx.lock() + 1)
        if move.source_topic.renamed_up_to is not None:
            await self._batches.copy_renamings(batch.arrivals)
        arrival = (move.target.id, number) if move.crosses_channels else None
        await self._batches.move(batch.arrivals, places.target, change_of(ctx, move), arrival)
        await self._update_extents(batch, places)
        await emit_move_events(ctx, move, batch.arrivals, span=None)
        if move.crosses_channels:
            await emit_star_events(ctx, move, batch.arrivals, number)

    async def _move_read_state(
        self, batch: _Batch, places: Places, *, adds_exceptions: bool
    ) -> None:
        read_state = ReadStateRepository(self._ctx.db, places)
        if batch.have_exceptions and self._move.crosses_channels:
            await read_state.forget_unread(batch.arrivals)
        if adds_exceptions and _can_differ(self._move):
            await read_state.add_exceptions(batch.arrivals)
        if batch.have_exceptions:
            await read_state.move_exceptions(batch.arrivals)

    async def _update_extents(self, batch: _Batch, places: Places) -> None:
        rows = DeletionRepository(self._ctx.db, self._ctx.realm.id)
        extents = _extents_after(self._move, batch, places.target)
        if extents is None:
            await rows.update_extents([places.source, places.target])
        else:
            await rows.set_extents(extents)


async def count_different_readers(ctx: RealmContext, move: Move, places: Places) -> int:
    """For how many users the read state of moved messages may have to be stored one by one."""
    if not _can_differ(move):
        return 0
    read_state = ReadStateRepository(ctx.db, places)
    return await read_state.count_different(move.source_topic.first_message_id)


def places_of(move: Move, target: ConversationId, last: MessageId) -> Places:
    return Places(move.source_topic.id, move.source.id, target, move.target.id, last)


def _can_differ(move: Move) -> bool:
    """Whether positions may differ: a new topic of the same channel gets those of the old one."""
    return move.target_topic is not None or move.crosses_channels


def change_of(ctx: RealmContext, move: Move) -> Change:
    """The change that the edit history of the messages shows."""
    return Change(
        editor_id=move.mover_id,
        now=ctx.now(),
        prev_topic=None if move.topic == move.source_topic.topic else move.source_topic.topic,
        prev_channel_id=move.source.id if move.crosses_channels else None,
    )


def _extents_after(move: Move, batch: _Batch, target: ConversationId) -> list[Extent] | None:
    """The first and last messages of both topics after a batch; None if they must be looked up.

    In the middle of a long move they are known. PostgreSQL would have to pass all entries of moved
    messages in its index to find the last message that is left.
    """
    rest = batch.rest
    if rest is None or rest.up_to is None:
        return None
    if rest.subscription_periods is not None:
        # Messages that the mover cannot see are left, before, after or between these.
        return None
    source, there = move.source_topic, move.target_topic
    first, last = min(batch.arrivals), max(batch.arrivals)
    is_last_moved = source.last_message_id <= last
    last_left = rest.up_to if is_last_moved else source.last_message_id
    if there is not None:
        first, last = min(first, there.first_message_id), max(last, there.last_message_id)
    return [
        Extent(source.id, source.first_message_id, last_left),
        Extent(target, first, last),
    ]
