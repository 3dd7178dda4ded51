"""Marks a topic, a channel or everything as read: a few rows, however many messages."""

from chatapi.auth.context import Context
from chatapi.core.ids import ChannelId
from chatapi.features.messages.flags.params import MarkTopicParams
from chatapi.permissions.channel_lookup import readable_channel
from chatapi.read_state.events import FlagAdded
from chatapi.read_state.repository import MarkRepository, SpanRepository, Unread


class MarkAsReadService:
    """Advances read positions of the caller.

    What is written, and how long it takes, does not depend on how much was unread. The event
    contains the bounds of what became read; the messages are looked up when a client receives it.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._marks = MarkRepository(ctx.db, ctx.realm.id, ctx.user.id)
        self._spans = SpanRepository(ctx.db)

    async def mark_topic(self, params: MarkTopicParams) -> None:
        """All of a topic; without messages, or a subscription, nothing in it is unread."""
        ctx = self._ctx
        await ctx.lock()
        channel = await readable_channel(ctx, ChannelId(params.stream_id))
        found = await ctx.runtime.channels.find_topic(
            ctx.db, ctx.realm.id, channel.id, params.topic_name
        )
        if found is None:
            return
        conversation_id, _ = found
        unread = await self._spans.find_in_topic(ctx.user.id, conversation_id)
        if unread:
            await self._marks.read_up_to({conversation_id: unread.span["up_to"]})
            self._emit_read(unread)

    async def mark_channel(self, channel_id: ChannelId) -> None:
        """All topics of a channel."""
        await self._ctx.lock()
        channel = await readable_channel(self._ctx, channel_id)
        unread = await self._spans.find_in_channel(self._ctx.user.id, channel.id)
        if unread:
            await self._marks.read_channel_up_to(channel.id, unread.span["up_to"])
            self._emit_read(unread)

    async def mark_all(self) -> None:
        """All messages; the event says so and lists none."""
        await self._ctx.lock()
        newest = await self._marks.newest_message()
        if newest is not None:
            await self._marks.read_all_up_to(newest)
            self._ctx.emit_to_caller(FlagAdded(flag="read", messages=[], all=True))

    def _emit_read(self, unread: Unread) -> None:
        self._ctx.emit_to_caller(FlagAdded(flag="read", messages=unread.excepted, span=unread.span))
