"""Checks wildcard mentions, which notify many users at once."""

from chatapi.auth.context import Context
from chatapi.channel_cache.cache import SubscriberCount
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.messages.errors import (
    StreamWildcardMentionNotAllowedError,
    TopicWildcardMentionNotAllowedError,
)
from chatapi.features.messages.repository import MessageRepository
from chatapi.features.messages.rules import MANY
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import RealmPermission
from chatapi.rendering import RenderedMessage


async def check_wildcards(
    ctx: Context, channel: ChannelRecord, topic: str, rendered: RenderedMessage
) -> SubscriberCount | None:
    """Refuse a text in a topic that mentions more users at once than its author may.

    Returns the number of subscribers if the text is permitted only because there are so few.
    """
    if not (rendered.mentions_channel or rendered.mentions_topic):
        return None
    if await is_allowed_in_realm(ctx, RealmPermission.CAN_MENTION_MANY_USERS):
        return None
    subscribers = None
    if rendered.mentions_channel:
        subscribers = await ctx.runtime.channels.subscriber_count(ctx.db, ctx.realm.id, channel.id)
        if subscribers.number > MANY:
            raise StreamWildcardMentionNotAllowedError
    if rendered.mentions_topic and await _count_participants(ctx, channel, topic) > MANY:
        raise TopicWildcardMentionNotAllowedError
    return subscribers


async def _count_participants(ctx: Context, channel: ChannelRecord, topic: str) -> int:
    found = await ctx.runtime.channels.find_topic(ctx.db, ctx.realm.id, channel.id, topic)
    if found is None:
        return 0
    return len(await MessageRepository(ctx.db, ctx.realm.id).list_senders(found[0]))
