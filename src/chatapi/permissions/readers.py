"""Where a reader belongs, worked out once and remembered until it changes."""

from collections import defaultdict

from sqlalchemy import bindparam

from chatapi.auth.context import RealmContext
from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import SubscriptionPeriod
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.events.membership import Membership, Stay
from chatapi.permissions.memberships import Memberships

_stays = RecordReader(Stay, SubscriptionPeriod)
_STAYS_OF_USER = (
    _stays.select()
    .add_columns(SubscriptionPeriod.channel_id)
    .where(SubscriptionPeriod.user_id == bindparam("user_id"))
    .order_by(SubscriptionPeriod.id)
)


async def groups_of_reader(ctx: RealmContext) -> frozenset[GroupId]:
    """The groups of whoever asks; costs no statement after the first time."""
    caller = ctx.admitted
    if caller is None:
        # A person without an account is in one group only.
        return frozenset({GroupId(ctx.realm.system_groups[SystemGroup.INTERNET])})
    return await caller.remember(
        "groups", lambda: Memberships(ctx.db, ctx.realm).groups_of(caller.user)
    )


async def membership_of(ctx: RealmContext) -> Membership:
    """The groups and channels of whoever asks; costs no statement after the first time."""
    groups = await groups_of_reader(ctx)
    caller = ctx.admitted
    if caller is None:
        return Membership(groups, {})

    async def load() -> Membership:
        return Membership(groups, await load_stays(ctx.db, caller.user.id))

    return await caller.remember("membership", load)


async def load_stays(db: DatabaseSession, user_id: UserId) -> dict[ChannelId, tuple[Stay, ...]]:
    """When a user was in which channel."""
    stays: defaultdict[ChannelId, list[Stay]] = defaultdict(list)
    for *stay, channel_id in await db.execute(_STAYS_OF_USER, {"user_id": user_id}):
        stays[ChannelId(channel_id)].append(_stays.read(stay))
    return {channel_id: tuple(found) for channel_id, found in stays.items()}
