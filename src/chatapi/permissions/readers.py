"""Where a reader belongs, worked out once and remembered until it changes."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, bindparam

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.id_lists import is_one_of
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
_STAYS_OF_MANY: Select[*tuple[Any, ...]] = (
    _stays.select()
    .add_columns(SubscriptionPeriod.user_id, SubscriptionPeriod.channel_id)
    .where(
        is_one_of(SubscriptionPeriod.user_id, "user_ids"),
        is_one_of(SubscriptionPeriod.channel_id, "channel_ids"),
    )
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


async def memberships_of(
    ctx: RealmContext, users: Collection[UserRecord], channel_ids: Collection[ChannelId]
) -> dict[UserId, Membership]:
    """The groups of many users, and when they were in some channels: three statements.

    Use it for users who do not ask themselves; nothing of it is remembered.
    """
    groups = await Memberships(ctx.db, ctx.realm).groups_of_each(users)
    stays: defaultdict[int, defaultdict[ChannelId, list[Stay]]] = defaultdict(
        lambda: defaultdict(list)
    )
    values = {"user_ids": list(groups), "channel_ids": list(channel_ids)}
    for *stay, user_id, channel_id in await ctx.db.execute(_STAYS_OF_MANY, values):
        stays[user_id][ChannelId(channel_id)].append(_stays.read(stay))
    return {
        user_id: Membership(
            of_user, {channel_id: tuple(found) for channel_id, found in stays[user_id].items()}
        )
        for user_id, of_user in groups.items()
    }


async def load_stays(db: DatabaseSession, user_id: UserId) -> dict[ChannelId, tuple[Stay, ...]]:
    """When a user was in which channel."""
    stays: defaultdict[ChannelId, list[Stay]] = defaultdict(list)
    for *stay, channel_id in await db.execute(_STAYS_OF_USER, {"user_id": user_id}):
        stays[ChannelId(channel_id)].append(_stays.read(stay))
    return {channel_id: tuple(found) for channel_id, found in stays.items()}
