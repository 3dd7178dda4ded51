"""Use case: move messages to another topic, to another channel, or both."""

from chatapi.auth.context import Context
from chatapi.channel_cache.newest_messages import NO_MESSAGE
from chatapi.core.ids import EventNumber, MessageId
from chatapi.features.channels import PersonalStateDiff
from chatapi.features.messages.move.move import Move, MoveRequest
from chatapi.features.messages.move.move_events import emit_move_events
from chatapi.features.messages.move.notices import post_move_notices
from chatapi.features.messages.move.planning import MovePlanner
from chatapi.features.messages.move.policies import move_policies
from chatapi.features.messages.move.repository import (
    Change,
    MoveRepository,
    Places,
    ReadStateRepository,
)
from chatapi.features.messages.move.selection import TopicRecord
from chatapi.features.messages.repository import DeletionRepository, MessageRepository
from chatapi.permissions.message_lookup import FoundMessage
from chatapi.read_state.spans import Span

_MAX_EXCEPTIONS = 2_000_000
"""Messages times readers for whom they may differ. Above it, only positions are carried over."""


class MoveService:
    """Moves messages; the realm is locked."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = MoveRepository(ctx.db, ctx.realm.id)

    async def move(self, message: FoundMessage, request: MoveRequest) -> None:
        """Move a message, and other messages of its topic if the request asks for it."""
        move = await MovePlanner(self._ctx).plan(message, request)
        if move is None:
            return
        arrivals = await self._arrivals(move)
        diff = None
        if move.crosses_channels:
            diff = await PersonalStateDiff.before(self._ctx, message_ids=arrivals)
        span = None
        if move.is_renaming:
            change = self._change(move)
            number = await self._repository.rename(move.source_topic, move.topic, change)
            span = None if arrivals else _span(move.source_topic, number)
        else:
            await self._carry_over(move, len(arrivals))
        await emit_move_events(self._ctx, move, request.mode, arrivals, span)
        if diff is not None:
            await self._emit_lost_stars(move, diff)
        if move.is_whole and not move.is_respelling:
            old, new = (move.source, move.source_topic.topic), (move.target, move.topic)
            await move_policies(self._ctx, old, new, is_merged=move.target_topic is not None)
        await post_move_notices(self._ctx, move, request, len(arrivals))

    async def _emit_lost_stars(self, move: Move, diff: PersonalStateDiff) -> None:
        """Users who starred messages without being subscribed do not learn where these went."""
        await diff.read_after()
        rows = MessageRepository(self._ctx.db, self._ctx.realm.id)
        diff.emit_lost(but=await rows.list_subscribed(move.source.id, diff.owners))
        diff.emit_gained()

    async def _arrivals(self, move: Move) -> dict[MessageId, EventNumber | None]:
        """The messages one by one, unless a span describes them."""
        if move.is_renaming and not move.source.has_protected_history:
            return {}
        return await self._repository.list_arrivals(move.selection)

    async def _carry_over(self, move: Move, count: int) -> None:
        ctx = self._ctx
        bounds = await self._repository.get_bounds(move.selection)
        target_topic = move.target_topic
        target_id = (
            await MessageRepository(ctx.db, ctx.realm.id).add_topic(
                move.target.id, move.topic, bounds.first
            )
            if target_topic is None
            else target_topic.id
        )
        places = Places(
            move.source_topic.id, move.source.id, target_id, move.target.id, bounds.last
        )
        read_state = ReadStateRepository(ctx.db, places)
        if move.crosses_channels:
            await read_state.forget_unread(move.selection)
        if target_topic is None:
            await read_state.begin()
        else:
            await read_state.join(target_topic.last_message_id)
        if target_topic is not None or move.crosses_channels:
            readers = await read_state.count_different(bounds.first)
            if 0 < count * readers <= _MAX_EXCEPTIONS:
                await read_state.add_exceptions(move.selection)
        arrival = (move.target.id, await self._next_event()) if move.crosses_channels else None
        await self._repository.move(move.selection, target_id, self._change(move), arrival)
        await DeletionRepository(ctx.db, ctx.realm.id).update_extents(
            [move.source_topic.id, target_id]
        )

    async def _next_event(self) -> EventNumber:
        """The move's event number: current subscribers joined before it, later ones after it."""
        return EventNumber(await self._ctx.lock() + 1)

    def _change(self, move: Move) -> Change:
        return Change(
            editor_id=self._ctx.user.id,
            now=self._ctx.now(),
            prev_topic=None if move.topic == move.source_topic.topic else move.source_topic.topic,
            prev_channel_id=move.source.id if move.crosses_channels else None,
        )


def _span(source_topic: TopicRecord, as_of: int) -> Span:
    return {
        "conversation_id": source_topic.id,
        "channel_id": None,
        "above": NO_MESSAGE,
        "up_to": source_topic.last_message_id,
        "as_of": as_of,
    }
