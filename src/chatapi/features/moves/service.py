"""The verb of moving messages: to another topic, to another channel, or both."""

from chatapi.auth.context import Context
from chatapi.channels.directory import NO_MESSAGE
from chatapi.core.ids import EventNumber, MessageId
from chatapi.features.belongings.watch import BelongingsWatch
from chatapi.features.deletion.repository import DeletionRepository
from chatapi.features.flags.spans import Span
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.moves.move import Move, MoveRequest
from chatapi.features.moves.notices import tell_threads
from chatapi.features.moves.planning import MovePlanner
from chatapi.features.moves.policies import move_policies
from chatapi.features.moves.repository import Change, MoveRepository, Places, ReadStateRepository
from chatapi.features.moves.scope import Thread
from chatapi.features.moves.telling import tell_clients
from chatapi.permissions.message_lookup import FoundMessage

_MOST_COMPARISONS = 2_000_000
"""Of messages with readers' positions. Where it would take more, positions alone decide."""


class MoveService:
    """What people can put in another place; the organization is locked."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = MoveRepository(ctx.db, ctx.realm.id)

    async def move(self, message: FoundMessage, request: MoveRequest) -> None:
        """Move a message, and with it others of its topic if that is asked for."""
        move = await MovePlanner(self._ctx).plan(message, request)
        if move is None:
            return
        arrivals = await self._arrivals(move)
        watch = None
        if move.crosses_channels:
            watch = await BelongingsWatch.before(self._ctx, message_ids=arrivals)
        span = None
        if move.is_renaming:
            change = self._change(move)
            number = await self._repository.rename(move.thread, move.topic, change)
            span = None if arrivals else _span(move.thread, number)
        else:
            await self._carry_over(move, len(arrivals))
        await tell_clients(self._ctx, move, request.mode, arrivals, span)
        if watch is not None:
            await self._tell_stars(move, watch)
        if move.is_whole and not move.is_respelling:
            old, new = (move.source, move.thread.topic), (move.target, move.topic)
            await move_policies(self._ctx, old, new, is_merged=move.there is not None)
        await tell_threads(self._ctx, move, request, len(arrivals))

    async def _tell_stars(self, move: Move, watch: BelongingsWatch) -> None:
        """Who starred messages without being in their channel is not told where these went."""
        await watch.look_again()
        rows = MessageRepository(self._ctx.db, self._ctx.realm.id)
        watch.tell_lost(but=await rows.list_subscribed(move.source.id, watch.owners))
        watch.tell_gained()

    async def _arrivals(self, move: Move) -> dict[MessageId, EventNumber | None]:
        """The messages one by one, unless a description of them is enough."""
        if move.is_renaming and not move.source.has_protected_history:
            return {}
        return await self._repository.list_arrivals(move.scope)

    async def _carry_over(self, move: Move, count: int) -> None:
        ctx = self._ctx
        bounds = await self._repository.get_bounds(move.scope)
        there = move.there
        target_id = (
            await MessageRepository(ctx.db, ctx.realm.id).add_topic(
                move.target.id, move.topic, bounds.first
            )
            if there is None
            else there.id
        )
        places = Places(move.thread.id, move.source.id, target_id, move.target.id, bounds.last)
        read_state = ReadStateRepository(ctx.db, places)
        if move.crosses_channels:
            await read_state.forget_unread(move.scope)
        if there is None:
            await read_state.begin()
        else:
            await read_state.join(there.last_message_id)
        if (there is not None or move.crosses_channels) and (
            count * await read_state.count_readers() <= _MOST_COMPARISONS
        ):
            await read_state.add_exceptions(move.scope)
        arrival = (move.target.id, await self._next_event()) if move.crosses_channels else None
        await self._repository.move(move.scope, target_id, self._change(move), arrival)
        await DeletionRepository(ctx.db, ctx.realm.id).measure([move.thread.id, target_id])

    async def _next_event(self) -> EventNumber:
        """Whoever is in the channel now has been there before this event, all others have not."""
        return EventNumber(await self._ctx.lock() + 1)

    def _change(self, move: Move) -> Change:
        return Change(
            editor_id=self._ctx.user.id,
            now=self._ctx.now(),
            prev_topic=None if move.topic == move.thread.topic else move.thread.topic,
            prev_channel_id=move.source.id if move.crosses_channels else None,
        )


def _span(thread: Thread, as_of: int) -> Span:
    return {
        "conversation_id": thread.id,
        "channel_id": None,
        "above": NO_MESSAGE,
        "up_to": thread.last_message_id,
        "as_of": as_of,
    }
