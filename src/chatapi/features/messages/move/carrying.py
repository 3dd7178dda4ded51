"""Carries the messages of a move to their new place, a batch at a time."""

from dataclasses import dataclass, replace

from chatapi.auth.context import RealmContext
from chatapi.core.ids import EventNumber, MessageId
from chatapi.features.channels import PersonalStateDiff
from chatapi.features.messages.move.move import Move
from chatapi.features.messages.move.move_events import emit_move_events
from chatapi.features.messages.move.repository import (
    Bounds,
    Change,
    MoveRepository,
    Places,
    ReadStateRepository,
)
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.features.messages.repository import DeletionRepository, MessageRepository

_MAX_EXCEPTIONS = 2_000_000
"""Messages times readers for whom they may differ. Above it, only positions are carried over."""
_EXCEPTIONS_AT_ONCE = 2_000
"""The same in one transaction, for which other writers have to wait."""


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
        bounds = await self._repository.find_bounds(move.selection)
        if bounds is None:
            return Carried(0, None, adds_exceptions=bool(adds_exceptions))
        places = await self._places(bounds)
        read_state = ReadStateRepository(self._ctx.db, places)
        if move.target_topic is None:
            await read_state.begin()
        else:
            await read_state.join(move.target_topic.last_message_id)
        readers = 0
        if move.target_topic is not None or move.crosses_channels:
            readers = await read_state.count_different(bounds.first)
        if adds_exceptions is None:
            adds_exceptions = await self._has_few_exceptions(readers)
        if readers and adds_exceptions:
            limit = max(1, min(limit, _EXCEPTIONS_AT_ONCE // readers))
        arrivals, rest = await self._newest(limit)
        batch = replace(move.selection, since=min(arrivals), up_to=max(arrivals))
        diff = None
        if move.crosses_channels:
            diff = await PersonalStateDiff.before(self._ctx, message_ids=arrivals)
            await read_state.forget_unread(batch)
        if readers and adds_exceptions:
            await read_state.add_exceptions(batch)
        await self._write(batch, places)
        await emit_move_events(self._ctx, move, arrivals, span=None)
        if diff is not None:
            await self._emit_lost_stars(diff)
        return Carried(len(arrivals), rest, adds_exceptions)

    async def _places(self, bounds: Bounds) -> Places:
        """Source and target; a topic that does not exist yet is created."""
        move, ctx = self._move, self._ctx
        target_id = (
            await MessageRepository(ctx.db, ctx.realm.id).add_topic(
                move.target.id, move.topic, bounds.first
            )
            if move.target_topic is None
            else move.target_topic.id
        )
        return Places(move.source_topic.id, move.source.id, target_id, move.target.id, bounds.last)

    async def _has_few_exceptions(self, readers: int) -> bool:
        if readers == 0:
            return True
        most = _MAX_EXCEPTIONS // readers
        return await self._repository.count(self._move.selection, most + 1) <= most

    async def _newest(
        self, limit: int
    ) -> tuple[dict[MessageId, EventNumber | None], MessageSelection | None]:
        """The newest messages, in order, and the selection of those before them, if any."""
        selection = self._move.selection
        arrivals = await self._repository.list_newest_arrivals(selection, limit + 1)
        if len(arrivals) <= limit:
            return arrivals, None
        before = min(arrivals)
        del arrivals[before]
        return arrivals, replace(selection, up_to=before)

    async def _write(self, batch: MessageSelection, places: Places) -> None:
        move, ctx = self._move, self._ctx
        arrival = (move.target.id, await self._next_event()) if move.crosses_channels else None
        await self._repository.move(batch, places.target, change_of(ctx, move), arrival)
        await DeletionRepository(ctx.db, ctx.realm.id).update_extents(
            [places.source, places.target]
        )

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
