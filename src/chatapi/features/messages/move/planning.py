"""Plans a requested move of messages, if the caller may move them."""

from msgspec.structs import replace

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.features.messages.move.move import Move, MoveRequest
from chatapi.features.messages.move.permissions import MovePermissions
from chatapi.features.messages.move.propagation import PropagateMode
from chatapi.features.messages.move.repository import MoveRepository
from chatapi.features.messages.move.selection import MessageSelection, TopicRecord
from chatapi.features.messages.moves_under_way import require_not_moving
from chatapi.features.messages.recipients import find_channel
from chatapi.features.messages.repository import TopicLocation
from chatapi.features.messages.rules import check_topic
from chatapi.permissions.channels import channel_access
from chatapi.permissions.message_lookup import FoundMessage, channel_of


class MovePlanner:
    """Looks up everything that a move depends on; the realm is locked."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = MoveRepository(ctx.db, ctx.realm.id)
        self._permissions = MovePermissions(ctx)

    async def plan(self, message: FoundMessage, request: MoveRequest) -> Move | None:
        """The planned move, if the caller may do it; None if nothing would change."""
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
        await self._require_not_moving(move)
        # A topic that changes only the case of its letters is renamed with all messages or not at
        # all.
        return move if move.is_renaming or move.target_topic != move.source_topic else None

    async def _measure(
        self,
        message: FoundMessage,
        mode: PropagateMode,
        source: ChannelRecord,
        target: ChannelRecord,
        topic: str,
    ) -> Move:
        access = await channel_access(self._ctx)
        subscription_periods = (
            None
            if access.can_read_all(source)
            else access.membership.subscription_periods[source.id]
        )
        selection = MessageSelection(
            message.conversation_id,
            only=message.id if mode == "change_one" else None,
            since=message.id if mode == "change_later" else None,
            subscription_periods=subscription_periods,
        )
        source_topic = await self._repository.get_topic(message.conversation_id)
        move = Move(
            message_id=message.id,
            mover_id=self._ctx.user.id,
            mode=mode,
            source=source,
            target=target,
            topic=topic,
            selection=selection,
            source_topic=source_topic,
            target_topic=await self._repository.find_topic(target.id, topic),
            is_whole=await self._is_whole(selection, source_topic),
        )
        if move.target_topic is None or move.is_renaming:
            return move
        # An existing topic keeps its spelling when messages are moved into it.
        return replace(move, topic=move.target_topic.topic)

    async def _is_whole(self, selection: MessageSelection, source_topic: TopicRecord) -> bool:
        if selection.subscription_periods is not None:
            return not await self._repository.leaves_some(selection)
        if selection.only is not None:
            return source_topic.first_message_id == source_topic.last_message_id
        return selection.since is None or selection.since <= source_topic.first_message_id

    async def _require_not_moving(self, move: Move) -> None:
        target_id = None if move.target_topic is None else move.target_topic.id
        await require_not_moving(
            self._ctx,
            TopicLocation(move.source.id, move.source_topic.topic, move.source_topic.id),
            TopicLocation(move.target.id, move.topic, target_id),
        )

    async def _check(self, move: Move) -> None:
        if move.crosses_channels:
            await self._permissions.check_channel(move.source)
        else:
            await self._permissions.check_topic(move.source, move.source_topic.topic, move.topic)
        if move.is_resolving:
            return
        if move.target_topic is None:
            await self._permissions.check_new_topic(move.target)
        await self._permissions.check_age(
            self._repository, move.selection, crosses_channels=move.crosses_channels
        )
