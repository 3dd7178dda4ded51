"""Emits which channels become visible or invisible to a user whose role or groups change."""

from collections.abc import Collection, Sequence

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import GroupId, UserId
from chatapi.events.audience import Users
from chatapi.features.channels.default_group_events import emit_default_groups_for_new_role
from chatapi.features.channels.events import (
    ChannelsCreated,
    ChannelsDeleted,
    DefaultChannelsChanged,
)
from chatapi.features.channels.payloads import channel_payload
from chatapi.features.channels.repository import ChannelRepository, SubscriptionRepository
from chatapi.features.channels.subscription_events import PeersAdded
from chatapi.permissions.channels import channel_access_of, channel_visible_to
from chatapi.wire.group_values import GroupValue


async def emit_visibility_change(ctx: RealmContext, before: UserRecord, after: UserRecord) -> None:
    """Emit to a user whose role changed which channels they can see now and no longer."""
    knew = await channel_access_of(ctx, before)
    knows = await channel_access_of(ctx, after)
    channels = await ChannelRepository(ctx.db, ctx.realm.id).list_summaries()
    gained = [
        (each.channel, channel_payload(each, ctx.realm, ctx.now()))
        for each in channels
        if knows.can_see(each.channel) and not knew.can_see(each.channel)
    ]
    lost = [
        each.channel
        for each in channels
        if knew.can_see(each.channel) and not knows.can_see(each.channel)
    ]
    if gained:
        ctx.emit(
            ChannelsCreated(streams=[shown for _channel, shown in gained], is_new=False),
            to=Users.only(after.id),
        )
        await _emit_subscribers(ctx, after.id, [channel for channel, _shown in gained])
    for is_archived in (False, True):
        gone = [channel.id for channel in lost if channel.is_archived is is_archived]
        if gone:
            event = ChannelsDeleted.of(*gone, is_about_archived=is_archived)
            ctx.emit(event, to=Users.only(after.id))
    if before.role.is_member is not after.role.is_member:
        defaults = [each.channel.id for each in channels if each.channel.is_default]
        shown = sorted(defaults) if after.role.is_member else []
        ctx.emit(DefaultChannelsChanged(default_streams=[*shown]), to=Users.only(after.id))
        await emit_default_groups_for_new_role(ctx, after.id, is_member=after.role.is_member)


async def _emit_subscribers(
    ctx: RealmContext, user_id: UserId, channels: Sequence[ChannelRecord]
) -> None:
    """Emit the subscribers of channels that became visible to a user."""
    subscribers = SubscriptionRepository(ctx.db, ctx.realm.id)
    present = await subscribers.list_subscribers([channel.id for channel in channels])
    for channel in channels:
        if peers := present.get(channel.id):
            event = PeersAdded(
                stream_ids=[channel.id], user_ids=peers, is_about_archived=channel.is_archived
            )
            ctx.emit(event, to=Users.only(user_id))


async def names_any_group(ctx: RealmContext, groups: Collection[GroupId]) -> bool:
    """Whether a private channel's settings name any of some groups."""
    for channel in await ChannelRepository(ctx.db, ctx.realm.id).list_all():
        visible_to = GroupValue.from_wire(channel_visible_to(ctx.realm, channel).visible_to)
        if channel.invite_only and not visible_to.subgroups.isdisjoint(groups):
            return True
    return False
