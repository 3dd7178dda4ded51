"""What a request to move messages comes to, if the caller may move them."""

from dataclasses import replace

from chatapi.auth.context import Context
from chatapi.channels.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.features.edits.params import PropagateMode
from chatapi.features.messages.recipients import find_channel
from chatapi.features.messages.rules import check_topic
from chatapi.features.moves.move import Move, MoveRequest
from chatapi.features.moves.repository import MoveRepository
from chatapi.features.moves.rights import MoveRights
from chatapi.features.moves.scope import Scope, Thread
from chatapi.permissions.channels import channel_access
from chatapi.permissions.message_lookup import FoundMessage, channel_of


class MovePlanner:
    """Looks at everything a move depends on; the organization is locked."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = MoveRepository(ctx.db, ctx.realm.id)
        self._rights = MoveRights(ctx)

    async def plan(self, message: FoundMessage, request: MoveRequest) -> Move | None:
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
        move = Move(
            message=message,
            source=source,
            target=target,
            topic=topic,
            scope=scope,
            thread=thread,
            there=await self._repository.find_thread(target.id, topic),
            is_whole=await self._is_whole(scope, thread),
        )
        if move.there is None or move.is_renaming:
            return move
        # A topic keeps its spelling when others come into it.
        return replace(move, topic=move.there.topic)

    async def _is_whole(self, scope: Scope, thread: Thread) -> bool:
        if scope.stays is not None:
            return not await self._repository.leaves_some(scope)
        if scope.only is not None:
            return thread.first_message_id == thread.last_message_id
        return scope.since is None or scope.since <= thread.first_message_id

    async def _check(self, move: Move) -> None:
        if move.crosses_channels:
            await self._rights.check_channel(move.source)
        else:
            await self._rights.check_topic(move.source, move.thread.topic, move.topic)
        if move.is_resolving:
            return
        if move.there is None:
            await self._rights.check_new_topic(move.target)
        await self._rights.check_age(
            self._repository, move.scope, crosses_channels=move.crosses_channels
        )
