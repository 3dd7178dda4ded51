"""Carries the messages of a move to their new place, a batch at a time."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from chatapi.auth.context import RealmContext
from chatapi.core.ids import ConversationId, EventNumber, MessageId
from chatapi.features.channels import PersonalStateDiff
from chatapi.features.messages.move.move import Move
from chatapi.features.messages.move.move_events import emit_move_events
from chatapi.features.messages.move.repository import (
    Change,
    MoveRepository,
    Places,
    ReadStateRepository,
)
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.features.messages.repository import DeletionRepository, Extent, MessageRepository

_MAX_EXCEPTIONS = 2_000_000
"""Messages times readers for whom they may differ. Above it, only positions are carried over."""
_EXCEPTIONS_AT_ONCE = 2_000
"""The same in one transaction, for which other writers have to wait."""

_SHARE_OF_REQUEST = 4
"""Of a long move, the request moves this part of a batch: its transaction has more to do besides,
and the rest is left to others anyway."""


@dataclass(frozen=True)
class Carried:
    """What was moved, and what is left."""

    count: int
    rest: MessageSelection | None
    """None: nothing is left to be moved."""
    adds_exceptions: bool
    """Whether differences of the read state are stored; applies to the whole move."""


class MessageCarrier:
    """Moves messages other than by renaming their topic; the realm is locked."""

    def __init__(self, ctx: RealmContext, move: Move) -> None:
        self._ctx = ctx
        self._move = move
        self._repository = MoveRepository(ctx.db, ctx.realm.id)

    async def carry(self, limit: int, *, adds_exceptions: bool | None = None) -> Carried:
        """Move the newest messages of the selection, at most `limit`, and emit the events of that.

        Fewer if many read exceptions belong to them. `adds_exceptions` is what was decided with the
        first batch. Messages that were moved away or deleted since then are left alone.
        """
        move = self._move
        found = await self._repository.list_newest_arrivals(move.selection, limit + 1)
        if not found:
            return Carried(0, None, adds_exceptions=bool(adds_exceptions))
        if adds_exceptions is None and len(found) > limit:
            limit = max(1, limit // _SHARE_OF_REQUEST)
        places = await self._places(found)
        read_state = ReadStateRepository(self._ctx.db, places)
        await self._carry_positions(read_state, places)
        readers = 0
        if adds_exceptions is not False and (move.target_topic or move.crosses_channels):
            readers = await read_state.count_different(move.source_topic.first_message_id)
        if adds_exceptions is None:
            adds_exceptions = await self._has_few_exceptions(readers)
        if readers and adds_exceptions:
            limit = max(1, min(limit, _EXCEPTIONS_AT_ONCE // readers))
        arrivals, rest = self._newest(found, limit)
        batch = replace(move.selection, since=min(arrivals), up_to=max(arrivals))
        diff = None
        if move.crosses_channels:
            diff = await PersonalStateDiff.before(self._ctx, message_ids=arrivals)
            await read_state.forget_unread(batch)
        if readers and adds_exceptions:
            await read_state.add_exceptions(batch)
        await self._write(batch, rest, places)
        await emit_move_events(self._ctx, move, arrivals, span=None)
        if diff is not None:
            await self._emit_lost_stars(diff)
        return Carried(len(arrivals), rest, adds_exceptions)

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
        return Places(move.source_topic.id, move.source.id, target_id, move.target.id, max(found))

    async def _carry_positions(self, read_state: ReadStateRepository, places: Places) -> None:
        target_topic = self._move.target_topic
        if target_topic is None:
            await read_state.begin()
        elif target_topic.last_message_id < places.last:
            await read_state.join(target_topic.last_message_id)

    async def _has_few_exceptions(self, readers: int) -> bool:
        if readers == 0:
            return True
        most = _MAX_EXCEPTIONS // readers
        return await self._repository.count(self._move.selection, most + 1) <= most

    def _newest(
        self, found: dict[MessageId, EventNumber | None], limit: int
    ) -> tuple[dict[MessageId, EventNumber | None], MessageSelection | None]:
        """The newest of these messages, and the selection of those before them, if any."""
        ids = list(found)
        if len(ids) <= limit:
            return found, None
        arrivals = {message_id: found[message_id] for message_id in ids[-limit:]}
        return arrivals, replace(self._move.selection, up_to=ids[-limit - 1])

    async def _write(
        self, batch: MessageSelection, rest: MessageSelection | None, places: Places
    ) -> None:
        move, ctx = self._move, self._ctx
        arrival = (move.target.id, await self._next_event()) if move.crosses_channels else None
        if move.source_topic.renamed_up_to is not None:
            await self._repository.copy_renamings(batch)
        await self._repository.move(batch, places.target, change_of(ctx, move), arrival)
        rows = DeletionRepository(ctx.db, ctx.realm.id)
        extents = _extents_after(move, batch, rest, places.target)
        if extents is None:
            await rows.update_extents([places.source, places.target])
        else:
            await rows.set_extents(extents)

    async def _next_event(self) -> EventNumber:
        """The move's event number: current subscribers joined before it, later ones after it."""
        return EventNumber(await self._ctx.lock() + 1)

    async def _emit_lost_stars(self, diff: PersonalStateDiff) -> None:
        """Users who starred messages without being subscribed do not learn where these went."""
        await diff.read_after()
        rows = MessageRepository(self._ctx.db, self._ctx.realm.id)
        diff.emit_lost(but=await rows.list_subscribed(self._move.source.id, diff.owners))
        diff.emit_gained()


def change_of(ctx: RealmContext, move: Move) -> Change:
    """The change that the edit history of the messages shows."""
    return Change(
        editor_id=move.mover_id,
        now=ctx.now(),
        prev_topic=None if move.topic == move.source_topic.topic else move.source_topic.topic,
        prev_channel_id=move.source.id if move.crosses_channels else None,
    )


def _extents_after(
    move: Move, batch: MessageSelection, rest: MessageSelection | None, target: ConversationId
) -> list[Extent] | None:
    """The first and last messages of both topics after a batch; None if they must be looked up.

    In the middle of a long move they are known. PostgreSQL would have to pass all entries of moved
    messages in its index to find the last message that is left.
    """
    if rest is None or rest.up_to is None or batch.since is None or batch.up_to is None:
        return None
    if batch.subscription_periods is not None:
        # Messages that the mover cannot see are left, before, after or between these.
        return None
    source, there = move.source_topic, move.target_topic
    is_last_moved = source.last_message_id <= batch.up_to
    last_left = rest.up_to if is_last_moved else source.last_message_id
    first, last = batch.since, batch.up_to
    if there is not None:
        first, last = min(first, there.first_message_id), max(last, there.last_message_id)
    return [
        Extent(source.id, source.first_message_id, last_left),
        Extent(target, first, last),
    ]
