"""Marking a topic, a channel or everything as read: a few rows, however many messages."""

from chatapi.auth.context import Context
from chatapi.core.ids import ChannelId
from chatapi.events.audience import Users
from chatapi.features.flags.events import FlagAdded
from chatapi.features.flags.params import MarkTopicParams
from chatapi.features.flags.repository import MarkRepository, UnreadRepository
from chatapi.permissions.channel_lookup import readable_channel


class MarkService:
    """Moves positions of the caller.

    What is written does not depend on how much was unread. The event names the messages that
    became read, as clients count by them: those a client can know of, which are the newest
    50,000, found by one look along an index.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._marks = MarkRepository(ctx.db, ctx.realm.id, ctx.user.id)
        self._unread = UnreadRepository(ctx.db, ctx.user.id)

    async def mark_topic(self, params: MarkTopicParams) -> None:
        """All of a topic; one without messages, or of a channel one is not in, has none unread."""
        ctx = self._ctx
        await ctx.lock()
        channel = await readable_channel(ctx, ChannelId(params.stream_id))
        found = await ctx.runtime.channels.find_topic(
            ctx.db, ctx.realm.id, channel.id, params.topic_name
        )
        if found is None:
            return
        conversation_id, _ = found
        message_ids = await self._unread.list_in_conversation(conversation_id)
        if message_ids:
            await self._marks.read_up_to(await self._marks.last_messages([conversation_id]))
            self._tell(FlagAdded(flag="read", messages=message_ids))

    async def mark_channel(self, channel_id: ChannelId) -> None:
        """All topics of a channel."""
        await self._ctx.lock()
        channel = await readable_channel(self._ctx, channel_id)
        message_ids = await self._unread.list_in_channel(channel.id)
        newest = await self._marks.newest_message()
        if message_ids and newest is not None:
            await self._marks.read_channel_up_to(channel.id, newest)
            self._tell(FlagAdded(flag="read", messages=message_ids))

    async def mark_all(self) -> None:
        """Everything; the event says so and lists nothing."""
        await self._ctx.lock()
        newest = await self._marks.newest_message()
        if newest is not None:
            await self._marks.read_all_up_to(newest)
            self._tell(FlagAdded(flag="read", messages=[], all=True))

    def _tell(self, event: FlagAdded) -> None:
        self._ctx.emit(event, to=Users.only(self._ctx.user.id))
