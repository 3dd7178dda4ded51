"""Use cases: delete a message, delete a topic."""

from chatapi.auth.context import Context
from chatapi.core.clock import stopwatch
from chatapi.core.ids import ChannelId, MessageId
from chatapi.features.channels import require_not_archived
from chatapi.features.messages.delete.errors import TopicDeletionNotAllowedError
from chatapi.features.messages.delete.removal import remove_messages
from chatapi.features.messages.delete.rules import may_delete_any, require_own_deletion
from chatapi.features.messages.moves_under_way import require_not_moving
from chatapi.features.messages.recipients import require_direct_messages
from chatapi.features.messages.repository import DeletionRepository, TopicLocation
from chatapi.permissions.channel_lookup import readable_channel
from chatapi.permissions.message_lookup import channel_of, message_to_change, participants_of
from chatapi.permissions.messages import message_access

AT_ONCE = 500
"""Messages of a topic per transaction, for which other writers have to wait."""
MAX_SECONDS = 20.0
"""For how long one request continues deleting."""


class DeletionService:
    """Deletes messages on behalf of a caller."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = DeletionRepository(ctx.db, ctx.realm.id)

    async def delete_message(self, message_id: MessageId) -> None:
        """DELETE /messages/{message_id}."""
        await self._ctx.lock()
        message = await message_to_change(self._ctx, message_id)
        channel = await channel_of(self._ctx, message)
        if not await may_delete_any(self._ctx, channel):
            origin = await self._repository.get_origin(message.id)
            await require_own_deletion(self._ctx, channel, origin)
            if channel is None:
                await require_direct_messages(self._ctx, await participants_of(self._ctx, message))
        await remove_messages(self._ctx, await self._repository.list_to_delete([message.id]))

    async def delete_topic(self, channel_id: ChannelId, topic: str) -> bool:
        """POST /streams/{stream_id}/delete_topic; returns whether all of it is deleted.

        Works in short transactions; messages deleted before one of them fails stay deleted.
        """
        started = stopwatch()
        while await self._delete_some(channel_id, topic):
            await self._ctx.work.commit()
            if stopwatch() - started >= MAX_SECONDS:
                return False
        return True

    async def _delete_some(self, channel_id: ChannelId, topic: str) -> bool:
        """Returns whether there may be more; permissions are checked again each time."""
        ctx = self._ctx
        await ctx.lock()
        channel = await readable_channel(ctx, channel_id)
        if not await may_delete_any(ctx, channel):
            raise TopicDeletionNotAllowedError
        require_not_archived(channel)
        found = await ctx.runtime.channels.find_topic(ctx.db, ctx.realm.id, channel.id, topic)
        if found is None:
            return False
        await require_not_moving(ctx, TopicLocation(channel.id, topic, found[0]))
        visible = (await message_access(ctx)).in_channel(channel, found[0])
        message_ids = await self._repository.list_newest(visible, AT_ONCE)
        await remove_messages(ctx, await self._repository.list_to_delete(message_ids))
        return len(message_ids) == AT_ONCE
