"""Use case: move messages to another topic, to another channel, or both."""

from collections.abc import Mapping

from chatapi.auth.context import Context
from chatapi.channel_cache.newest_messages import NO_MESSAGE
from chatapi.core.ids import EventNumber, MessageId
from chatapi.features.messages.move.carrying import Carried, MessageCarrier, change_of
from chatapi.features.messages.move.continuation import store_rest
from chatapi.features.messages.move.move import Move, MoveRequest
from chatapi.features.messages.move.move_events import emit_move_events
from chatapi.features.messages.move.notices import post_move_notices
from chatapi.features.messages.move.planning import MovePlanner
from chatapi.features.messages.move.policies import move_policies
from chatapi.features.messages.move.repository import MoveRepository
from chatapi.features.messages.move.selection import TopicRecord
from chatapi.permissions.message_lookup import FoundMessage
from chatapi.read_state.spans import Span


class MoveService:
    """Moves messages; the realm is locked."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = MoveRepository(ctx.db, ctx.realm.id)

    async def move(self, message: FoundMessage, request: MoveRequest) -> None:
        """Move a message, and other messages of its topic if the request asks for it.

        Other writers must not wait for long: of very many messages, only the newest are moved in
        this transaction, which also stores what is left. A job continues with it.
        """
        move = await MovePlanner(self._ctx).plan(message, request)
        if move is None:
            return
        count = await (self._rename(move) if move.is_renaming else self._carry_over(move))
        if move.is_whole and not move.is_respelling:
            old, new = (move.source, move.source_topic.topic), (move.target, move.topic)
            await move_policies(self._ctx, old, new, is_merged=move.target_topic is not None)
        await post_move_notices(self._ctx, move, request, count)

    async def _rename(self, move: Move) -> int:
        arrivals = await self._arrivals(move)
        change = change_of(self._ctx, move)
        number = await self._repository.rename(move.source_topic, move.topic, change)
        span = None if arrivals else _span(move.source_topic, number)
        await emit_move_events(self._ctx, move, arrivals, span)
        return len(arrivals)

    async def _arrivals(self, move: Move) -> Mapping[MessageId, EventNumber | None]:
        """The messages one by one, unless a span describes them."""
        if not move.source.has_protected_history:
            return {}
        return await self._repository.list_arrivals(move.selection)

    async def _carry_over(self, move: Move) -> int:
        """Returns how many messages the move has in all; of a whole topic, no client asks."""
        limit = self._ctx.settings.move_batch_size
        carried = await MessageCarrier(self._ctx, move).carry_first(limit)
        if carried.rest is None:
            return carried.count
        await store_rest(self._ctx, move, carried.rest, adds_exceptions=carried.adds_exceptions)
        return carried.count + await self._count_rest(move, carried)

    async def _count_rest(self, move: Move, carried: Carried) -> int:
        if move.is_whole or carried.rest is None:
            return 0
        return await self._repository.count(carried.rest)


def _span(source_topic: TopicRecord, as_of: int) -> Span:
    return {
        "conversation_id": source_topic.id,
        "channel_id": None,
        "above": NO_MESSAGE,
        "up_to": source_topic.last_message_id,
        "as_of": as_of,
    }
