"""Continues moves of many messages, a batch per transaction, in whichever process is alive."""

import asyncio
from datetime import datetime, timedelta

import structlog
from msgspec.structs import astuple, replace

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_sessions import realm_reading, realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import stopwatch
from chatapi.core.errors import UnknownOrganizationError
from chatapi.core.ids import MessageId
from chatapi.db.session import DatabaseSession
from chatapi.events.membership import SubscriptionPeriod
from chatapi.features.messages.move.batch_size import (
    FEWEST,
    limit_exceptions,
    next_batch_size,
)
from chatapi.features.messages.move.carrying import (
    MessageCarrier,
    count_different_readers,
    places_of,
)
from chatapi.features.messages.move.move import Move
from chatapi.features.messages.move.precompilation import are_moves_precompiled, precompile_moves
from chatapi.features.messages.move.repository import BatchRepository, MoveRepository
from chatapi.features.messages.move.selection import MessageSelection
from chatapi.features.messages.repository import (
    DeletionRepository,
    NewPendingMove,
    PendingMoveRecord,
    PendingMoveRepository,
)

log = structlog.get_logger()

LEASE = timedelta(seconds=5)
"""If a process does not continue a move for so long, another one does."""
_SHARE_OF_OTHERS = 1
"""The pause between two transactions, which senders can use, as a multiple of the last one's
duration."""


async def store_rest(
    ctx: RealmContext, move: Move, rest: MessageSelection, *, adds_exceptions: bool
) -> None:
    """Store what is left of a move, in the transaction that began it."""
    periods = rest.subscription_periods
    stored_periods = None if periods is None else [list(astuple(each)) for each in periods]
    await PendingMoveRepository(ctx.db).add(
        NewPendingMove(
            realm_id=ctx.realm.id,
            mover_id=move.mover_id,
            propagate_mode=move.mode,
            source_channel_id=move.source.id,
            conversation_id=rest.conversation_id,
            since=rest.since,
            up_to=_end(rest),
            subscription_periods=stored_periods,
            target_channel_id=move.target.id,
            topic=move.topic,
            adds_exceptions=adds_exceptions,
            due_at=ctx.now(),
        )
    )
    ctx.work.after_commit(ctx.runtime.moves.notify)


async def find_next_move(db: DatabaseSession) -> datetime | None:
    """When a move that no process continues may be continued; None if none is under way."""
    return await PendingMoveRepository(db).find_next_due()


class MoveRunner:
    """Continues the moves of all realms; each process has one."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._most = runtime.settings.move_batch_size
        self._size = min(FEWEST, self._most)
        """How many messages the next batch has: readers, indexes and machines differ."""
        self._own: dict[int, PendingMoveRecord] = {}
        """Moves that this process continues; others leave them alone for the time of a lease."""

    @property
    def is_busy(self) -> bool:
        """Whether a move of this process is not complete yet."""
        return bool(self._own)

    async def run_once(self) -> None:
        """Move one batch of each move, with pauses for other writers."""
        async with self._runtime.reading() as db:
            due = await PendingMoveRepository(db).list_due(self._runtime.clock.now())
        moves = {**self._own, **{record.id: record for record in due}}
        self._own = {}
        for record in moves.values():
            started = stopwatch()
            continued = await self._continue(record)
            if continued is not None:
                self._own[record.id] = continued
            await asyncio.sleep((stopwatch() - started) * _SHARE_OF_OTHERS)

    async def _continue(self, record: PendingMoveRecord) -> PendingMoveRecord | None:
        """Move one batch in one short transaction; None if nothing is left for this process."""
        try:
            limit = await self._prepare(record)
            async with realm_transaction(self._runtime, record.realm_id) as ctx:
                locked_at = stopwatch()
                stored = await PendingMoveRepository(ctx.db).find(record.id)
                # If another process has continued it, that one goes on.
                if stored is None or stored.due_at != record.due_at:
                    return None
                moved, left = await _move_some(ctx, stored, limit)
        except UnknownOrganizationError:
            # It was deleted meanwhile, and its messages with it.
            return None
        self._size = next_batch_size(moved, stopwatch() - locked_at, self._most)
        if left is None:
            log.info("move_completed", channel_id=record.target_channel_id)
        return left

    async def _prepare(self, record: PendingMoveRecord) -> int:
        """Do before the lock what needs none; returns how many messages to move.

        That is to compile statements, to read what is cached, to count for how many readers
        exceptions are written (an estimate, since they go on reading), and to make the search
        for what is left fast.
        """
        if not are_moves_precompiled(self._runtime.database):
            await precompile_moves(self._runtime.database)
        async with realm_reading(self._runtime, record.realm_id) as ctx:
            await self._runtime.linkifiers.of(ctx.db, ctx.realm.id)
            move = await _find_move(ctx, record)
            if move is None:
                return self._size
            limit = await self._limit(ctx, move, record)
            found = await BatchRepository(ctx.db).find_newest(move.selection, limit + 1)
            if len(found.arrivals) <= limit:
                # The last batch looks for what is left in the topic.
                rows = DeletionRepository(ctx.db, ctx.realm.id)
                await rows.find_ends([move.source_topic.id])
            return limit

    async def _limit(self, ctx: RealmContext, move: Move, record: PendingMoveRecord) -> int:
        if move.target_topic is None or not record.adds_exceptions:
            return self._size
        places = places_of(move, move.target_topic.id, record.up_to)
        readers = await count_different_readers(ctx, move, places)
        return limit_exceptions(self._size, readers)


async def _move_some(
    ctx: RealmContext, record: PendingMoveRecord, limit: int
) -> tuple[int, PendingMoveRecord | None]:
    """Move a batch; returns how many messages it had, and what is left."""
    move = await _find_move(ctx, record)
    if move is None:
        return 0, None
    rows = PendingMoveRepository(ctx.db)
    carried = await MessageCarrier(ctx, move).carry(limit, adds_exceptions=record.adds_exceptions)
    if carried.rest is None:
        await rows.remove(record.id)
        return carried.count, None
    left = replace(record, up_to=_end(carried.rest), due_at=ctx.now() + LEASE)
    await rows.store_progress(left.id, left.up_to, left.due_at)
    return carried.count, left


async def _find_move(ctx: RealmContext, record: PendingMoveRecord) -> Move | None:
    """The move as it was planned, which the request has permitted; None if its topic is gone."""
    topics = MoveRepository(ctx.db, ctx.realm.id)
    target = record.target_channel_id, record.topic
    source_topic, target_topic = await topics.find_both(record.conversation_id, *target)
    if source_topic is None:
        return None
    channel_ids = (record.source_channel_id, record.target_channel_id)
    channels = await ctx.runtime.channels.many(ctx.db, ctx.realm.id, channel_ids)
    return Move(
        message_id=None,
        mover_id=record.mover_id,
        mode=record.propagate_mode,
        source=channels[record.source_channel_id],
        target=channels[record.target_channel_id],
        topic=record.topic if target_topic is None else target_topic.topic,
        selection=_selection(record),
        source_topic=source_topic,
        target_topic=target_topic,
        is_whole=False,
    )


def _selection(record: PendingMoveRecord) -> MessageSelection:
    periods = record.subscription_periods
    return MessageSelection(
        record.conversation_id,
        since=record.since,
        up_to=record.up_to,
        subscription_periods=None
        if periods is None
        else tuple(SubscriptionPeriod(*each) for each in periods),
    )


def _end(rest: MessageSelection) -> MessageId:
    if rest.up_to is None:
        raise ValueError("what is left of a move has an end")
    return rest.up_to
