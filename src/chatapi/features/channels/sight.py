"""Which channels begin or cease to exist for somebody whose role changes."""

from collections.abc import Collection, Iterable

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.core.ids import GroupId, UserId
from chatapi.events.audience import Users
from chatapi.events.membership import Membership
from chatapi.events.queue_rows import QueueRows
from chatapi.features.channels.events import ChannelsCreated, ChannelsDeleted
from chatapi.features.channels.payloads import channel_payload
from chatapi.features.channels.repository import ChannelRepository
from chatapi.permissions.channels import ChannelAccess, who_knows
from chatapi.permissions.memberships import Memberships
from chatapi.permissions.readers import load_stays
from chatapi.wire.group_values import GroupValue


async def tell_new_sight(ctx: RealmContext, before: UserRecord, after: UserRecord) -> None:
    """Tell a user whose role changed which channels they can find now and no longer."""
    knew, knows = await _access(ctx, before), await _access(ctx, after)
    channels = await ChannelRepository(ctx.db, ctx.realm.id).list_facts()
    gained = [
        channel_payload(each, ctx.realm, ctx.now())
        for each in channels
        if knows.knows(each.channel) and not knew.knows(each.channel)
    ]
    lost = [
        each.channel.id
        for each in channels
        if knew.knows(each.channel) and not knows.knows(each.channel)
    ]
    if gained:
        ctx.emit(ChannelsCreated(streams=gained), to=Users.only(after.id))
    if lost:
        ctx.emit(ChannelsDeleted.of(*lost), to=Users.only(after.id))


async def tell_group_change(
    ctx: RealmContext, group_id: GroupId, user_ids: Collection[UserId]
) -> None:
    """Private channels can name groups: whoever comes into one or leaves it looks anew.

    Which channels that changes for whom would have to be worked out; it is rare enough.
    """
    groups = await Memberships(ctx.db, ctx.realm).supergroups_of(group_id)
    for channel in await ChannelRepository(ctx.db, ctx.realm.id).list_all():
        knowing = GroupValue.from_wire(who_knows(channel).knowing)
        if channel.invite_only and not knowing.subgroups.isdisjoint(groups):
            await restart_clients(ctx, user_ids)
            return


async def restart_clients(ctx: RealmContext, user_ids: Iterable[UserId]) -> None:
    """Other things exist for some users now: their clients are to ask for everything again."""
    ended = await QueueRows(ctx.db).delete_of_users(user_ids)
    ctx.work.end_queues(ctx.realm.id, ended)


async def _access(ctx: RealmContext, user: UserRecord) -> ChannelAccess:
    groups = await Memberships(ctx.db, ctx.realm).groups_of(user)
    membership = Membership(groups, await load_stays(ctx.db, user.id))
    return ChannelAccess(user, membership, shows_web_public=False)
