"""Which channels begin or cease to exist for somebody whose role changes."""

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.events.audience import Users
from chatapi.events.membership import Membership
from chatapi.features.channels.events import ChannelsCreated, ChannelsDeleted
from chatapi.features.channels.payloads import channel_payload
from chatapi.features.channels.repository import ChannelRepository
from chatapi.permissions.channels import ChannelAccess
from chatapi.permissions.memberships import Memberships
from chatapi.permissions.readers import load_stays


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


async def _access(ctx: RealmContext, user: UserRecord) -> ChannelAccess:
    groups = await Memberships(ctx.db, ctx.realm).groups_of(user)
    membership = Membership(groups, await load_stays(ctx.db, user.id))
    return ChannelAccess(user, membership, shows_web_public=False)
