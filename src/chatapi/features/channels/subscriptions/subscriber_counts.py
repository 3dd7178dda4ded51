"""Updates subscriptions and counts when accounts are created, deactivated and reactivated."""

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.channels.repository import ChannelRepository, SubscriptionRepository
from chatapi.features.channels.subscription_events import PeersAdded, PeersRemoved
from chatapi.features.channels.subscriptions.writer import SubscriptionWriter
from chatapi.permissions.channels import channel_visible_to


async def join_default_channels(ctx: RealmContext, user: UserRecord) -> None:
    """New members are subscribed to the default channels; guests and bots only individually."""
    if user.is_bot or not user.role.is_member:
        return
    defaults = await ChannelRepository(ctx.db, ctx.realm.id).list_defaults()
    await SubscriptionWriter(ctx).add([user.id], defaults)


async def remove_from_subscriber_counts(ctx: RealmContext, user: UserRecord) -> None:
    """A deactivated user keeps their subscriptions but is not counted as a subscriber."""
    for channel in await _count(ctx, user, -1):
        event = PeersRemoved(
            stream_ids=[channel.id], user_ids=[user.id], is_about_archived=channel.is_archived
        )
        ctx.emit(event, to=channel_visible_to(ctx.realm, channel))


async def add_to_subscriber_counts(ctx: RealmContext, user: UserRecord) -> None:
    """A reactivated user has the same subscriptions as before."""
    for channel in await _count(ctx, user, 1):
        event = PeersAdded(
            stream_ids=[channel.id], user_ids=[user.id], is_about_archived=channel.is_archived
        )
        ctx.emit(event, to=channel_visible_to(ctx.realm, channel))


async def _count(ctx: RealmContext, user: UserRecord, change: int) -> list[ChannelRecord]:
    subscriptions = SubscriptionRepository(ctx.db, ctx.realm.id)
    channel_ids = await subscriptions.channel_ids_of(user.id)
    if not channel_ids:
        return []
    await subscriptions.count_subscribers(dict.fromkeys(channel_ids, change))
    summaries = await ChannelRepository(ctx.db, ctx.realm.id).list_summaries_of(channel_ids)
    return [each.channel for each in summaries]
