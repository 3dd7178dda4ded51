"""The verb of moving messages: to another topic, to another channel, or both."""

from dataclasses import dataclass

from chatapi.auth.context import Context
from chatapi.channels.directory import NO_MESSAGE
from chatapi.channels.records import ChannelRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, EventNumber, MessageId
from chatapi.core.names import name_key
from chatapi.events.audience import Audience, WhoFollowsMove, WhoLosesSight
from chatapi.features.deletion.events import MessagesDeleted
from chatapi.features.deletion.repository import DeletionRepository
from chatapi.features.edits.events import MessageChanged
from chatapi.features.edits.params import PropagateMode
from chatapi.features.flags.spans import Span
from chatapi.features.messages.recipients import find_channel
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.messages.rules import check_topic
from chatapi.features.messages.topic_links import topic_links
from chatapi.features.moves.notices import Moved, tell_of_move
from chatapi.features.moves.policies import move_policies
from chatapi.features.moves.repository import Change, MoveRepository, Places, ReadStateRepository
from chatapi.features.moves.rights import MoveRights
from chatapi.features.moves.scope import Scope, Thread
from chatapi.features.moves.topics import is_only_resolving
from chatapi.permissions.channels import channel_access, who_hears, who_reads
from chatapi.permissions.message_lookup import FoundMessage, channel_of

_MOST_COMPARISONS = 2_000_000
"""Of messages with readers' positions. Where it would take more, positions alone decide."""


@dataclass(frozen=True)
class MoveRequest:
    """Where to, and how much; None for what stays."""

    topic: str | None
    channel_id: ChannelId | None
    mode: PropagateMode
    tells_old_thread: bool
    tells_new_thread: bool


@dataclass(frozen=True)
class Move:
    """Which messages go from where to where."""

    message: FoundMessage
    source: ChannelRecord
    target: ChannelRecord
    topic: str
    scope: Scope
    thread: Thread
    there: Thread | None
    """The topic they come to, None if it has no messages yet."""
    is_whole: bool
    """Whether nothing is left where they come from."""

    @property
    def crosses_channels(self) -> bool:
        return self.source.id != self.target.id

    @property
    def is_renaming(self) -> bool:
        """Whether the topic itself can take the new name, and its messages with it."""
        is_free = self.there is None or self.there.id == self.thread.id
        return self.is_whole and not self.crosses_channels and is_free


class MoveService:
    """What people can put in another place; the organization is locked."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = MoveRepository(ctx.db, ctx.realm.id)
        self._rights = MoveRights(ctx)

    async def move(self, message: FoundMessage, request: MoveRequest) -> None:
        """Move a message, and with it others of its topic if that is asked for."""
        move = await self._plan(message, request)
        if move is None:
            return
        arrivals = await self._arrivals(move)
        span = None
        if move.is_renaming:
            change = self._change(move)
            number = await self._repository.rename(move.thread, move.topic, change)
            span = None if arrivals else _span(move.thread, number)
        else:
            await self._carry_over(move, len(arrivals))
        await self._tell(move, request, arrivals, span)
        if move.is_whole and (move.crosses_channels or not self._is_respelling(move)):
            old, new = (move.source, move.thread.topic), (move.target, move.topic)
            await move_policies(self._ctx, old, new, is_merged=move.there is not None)
        moved = Moved(
            source=move.source,
            old_topic=move.thread.topic,
            target=move.target,
            new_topic=move.topic,
            count=None if move.is_whole else len(arrivals),
        )
        await tell_of_move(
            self._ctx,
            moved,
            old_thread=request.tells_old_thread,
            new_thread=request.tells_new_thread,
        )

    async def _plan(self, message: FoundMessage, request: MoveRequest) -> Move | None:
        """What is to be done, if the caller may do it; None if everything is in its place."""
        ctx = self._ctx
        source = await channel_of(ctx, message)
        if source is None:
            name = "topic" if request.topic is not None else "stream_id"
            raise BadRequestError(f"{name}: Direct messages have no topic and stay where they are")
        target = source
        if request.channel_id not in {None, source.id}:
            target = (await find_channel(ctx, request.channel_id)).record
        wanted = message.topic if request.topic is None else request.topic
        topic = check_topic(wanted, target, ctx.realm.options)
        if target.id == source.id and topic == message.topic:
            return None
        move = await self._measure(message, request.mode, source, target, topic)
        await self._check(move)
        # The same topic in other letters is for all of its messages, or for none.
        return move if move.is_renaming or move.there != move.thread else None

    async def _measure(
        self,
        message: FoundMessage,
        mode: PropagateMode,
        source: ChannelRecord,
        target: ChannelRecord,
        topic: str,
    ) -> Move:
        access = await channel_access(self._ctx)
        stays = None if access.reads_all_of(source) else access.membership.stays[source.id]
        scope = Scope(
            message.conversation_id,
            only=message.id if mode == "change_one" else None,
            since=message.id if mode == "change_later" else None,
            stays=stays,
        )
        thread = await self._repository.get_thread(message.conversation_id)
        return Move(
            message=message,
            source=source,
            target=target,
            topic=topic,
            scope=scope,
            thread=thread,
            there=await self._repository.find_thread(target.id, topic),
            is_whole=await self._is_whole(scope, thread),
        )

    async def _is_whole(self, scope: Scope, thread: Thread) -> bool:
        if scope.stays is not None:
            return not await self._repository.leaves_some(scope)
        if scope.only is not None:
            return thread.first_message_id == thread.last_message_id
        return scope.since is None or scope.since <= thread.first_message_id

    async def _check(self, move: Move) -> None:
        old = move.thread.topic
        is_resolution = not move.crosses_channels and is_only_resolving(old, move.topic)
        if move.crosses_channels:
            await self._rights.check_channel(move.source)
        else:
            await self._rights.check_topic(move.source, old, move.topic)
        if is_resolution:
            return
        if move.there is None:
            await self._rights.check_new_topic(move.target)
        await self._rights.check_age(
            self._repository, move.scope, crosses_channels=move.crosses_channels
        )

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

    def _is_respelling(self, move: Move) -> bool:
        return name_key(move.topic) == name_key(move.thread.topic)

    async def _tell(
        self,
        move: Move,
        request: MoveRequest,
        arrivals: dict[MessageId, EventNumber | None],
        span: Span | None,
    ) -> None:
        linkifiers = await self._ctx.runtime.linkifiers.of(self._ctx.db, self._ctx.realm.id)
        event = MessageChanged(
            user_id=self._ctx.user.id,
            message_id=move.message.id,
            message_ids=list(arrivals),
            edit_timestamp=unix_seconds(self._ctx.now()),
            stream_id=move.source.id,
            stream_name=move.source.name,
            new_stream_id=move.target.id if move.crosses_channels else None,
            propagate_mode=request.mode,
            orig_subject=move.thread.topic,
            subject=move.topic,
            topic_links=topic_links(move.topic, linkifiers),
            span=span,
            arrivals=arrivals if move.source.has_protected_history else None,
        )
        self._ctx.emit(event, to=_who_follows(move))
        if move.crosses_channels:
            self._tell_strangers(move, event)

    def _tell_strangers(self, move: Move, event: MessageChanged) -> None:
        """For people who may not follow, what they knew is gone."""
        gone = MessagesDeleted(
            message_ids=event.message_ids,
            message_type="stream",
            stream_id=move.source.id,
            topic=move.thread.topic,
            arrivals=event.arrivals,
        )
        self._ctx.emit(gone, to=_who_stays_behind(move))


def _span(thread: Thread, as_of: int) -> Span:
    return {
        "conversation_id": thread.id,
        "channel_id": None,
        "above": NO_MESSAGE,
        "up_to": thread.last_message_id,
        "as_of": as_of,
    }


def _who_follows(move: Move) -> Audience:
    if not move.crosses_channels:
        return who_hears(move.source)
    return WhoFollowsMove(source=who_reads(move.source), target=who_reads(move.target))


def _who_stays_behind(move: Move) -> Audience:
    return WhoLosesSight(source=who_reads(move.source), target=who_reads(move.target))
