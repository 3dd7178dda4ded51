"""Emits to restricted guests which subscribers of channels they see now and no longer.

Of channels that guests see without being subscribed, the web-public ones, they see only the
subscribers who are visible to them.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import ChannelId, UserId
from chatapi.events.audience import SomeOf
from chatapi.features.channels.repository import SubscriptionRepository
from chatapi.features.channels.subscription_events import PeersAdded, PeersRemoved
from chatapi.permissions.channels import channel_visible_to

_Subscribers = Mapping[ChannelId, frozenset[UserId]]


async def emit_subscribers_shown(
    ctx: RealmContext, people: Mapping[frozenset[UserId], Collection[UserId]]
) -> None:
    """Emit the web-public channels of users who became visible; `people` are by their guests."""
    inside = await _web_public(ctx, people)
    channels = await _channels(ctx, inside)
    for guests, users in people.items():
        for channel_id, subscribers in inside.items():
            if shown := sorted(subscribers & frozenset(users)):
                channel = channels[channel_id]
                event = PeersAdded(
                    stream_ids=[channel_id],
                    user_ids=[*shown],
                    is_about_archived=channel.is_archived,
                )
                ctx.emit(event, to=_viewers(ctx, guests, channel))


async def emit_subscribers_hidden(
    ctx: RealmContext, people: Mapping[frozenset[UserId], Collection[UserId]], left: _Subscribers
) -> None:
    """Emit that users who became invisible are no longer listed as subscribers.

    `left` are the channels that they left with the change.
    """
    inside = defaultdict[ChannelId, frozenset[UserId]](frozenset, await _web_public(ctx, people))
    for channel_id, gone in left.items():
        inside[channel_id] |= gone
    channels = await _channels(ctx, inside)
    for guests, users in people.items():
        for channel_id, subscribers in inside.items():
            if hidden := sorted(subscribers & frozenset(users)):
                channel = channels[channel_id]
                event = PeersRemoved(
                    stream_ids=[channel_id],
                    user_ids=[*hidden],
                    is_about_archived=channel.is_archived,
                    hides_peers=True,
                )
                ctx.emit(event, to=_viewers(ctx, guests, channel))


async def _web_public(
    ctx: RealmContext, people: Mapping[frozenset[UserId], Collection[UserId]]
) -> dict[ChannelId, frozenset[UserId]]:
    user_ids = frozenset[UserId]().union(*people.values())
    return await SubscriptionRepository(ctx.db, ctx.realm.id).list_web_public(user_ids)


async def _channels(ctx: RealmContext, inside: _Subscribers) -> Mapping[ChannelId, ChannelRecord]:
    return await ctx.runtime.channels.many(ctx.db, ctx.realm.id, list(inside))


def _viewers(ctx: RealmContext, guests: frozenset[UserId], channel: ChannelRecord) -> SomeOf:
    return SomeOf(ids=guests, of=channel_visible_to(ctx.realm, channel))
