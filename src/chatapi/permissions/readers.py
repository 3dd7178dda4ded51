"""Groups and subscription periods of a reader, memoized per caller until they change."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, bindparam

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.ids import ChannelId, GroupId, UserId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import SubscriptionPeriodRow
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.events.membership import Membership, SubscriptionPeriod
from chatapi.permissions.memberships import GroupMemberships

_periods = RecordReader(SubscriptionPeriod, SubscriptionPeriodRow)
_PERIODS_OF_USER = (
    _periods.select()
    .add_columns(SubscriptionPeriodRow.channel_id)
    .where(SubscriptionPeriodRow.user_id == bindparam("user_id"))
    .order_by(SubscriptionPeriodRow.id)
)
_PERIODS_OF_MANY: Select[*tuple[Any, ...]] = (
    _periods.select()
    .add_columns(SubscriptionPeriodRow.user_id, SubscriptionPeriodRow.channel_id)
    .where(
        is_one_of(SubscriptionPeriodRow.user_id, "user_ids"),
        is_one_of(SubscriptionPeriodRow.channel_id, "channel_ids"),
    )
    .order_by(SubscriptionPeriodRow.id)
)


async def groups_of_reader(ctx: RealmContext) -> frozenset[GroupId]:
    """Returns the groups of the reader; memoized, so only the first call costs a statement."""
    caller = ctx.maybe_caller
    if caller is None:
        # A visitor without an account is in one group only.
        return frozenset({GroupId(ctx.realm.system_groups[SystemGroup.INTERNET])})
    return await caller.memoize(
        "groups", lambda: GroupMemberships(ctx.db, ctx.realm).groups_of(caller.user)
    )


async def membership_of(ctx: RealmContext) -> Membership:
    """Returns the groups and channels of the reader; only the first call costs statements."""
    groups = await groups_of_reader(ctx)
    caller = ctx.maybe_caller
    if caller is None:
        return Membership(groups, {})

    async def load() -> Membership:
        return Membership(groups, await load_subscription_periods(ctx.db, caller.user.id))

    return await caller.memoize("membership", load)


async def memberships_of(
    ctx: RealmContext, users: Collection[UserRecord], channel_ids: Collection[ChannelId]
) -> dict[UserId, Membership]:
    """Returns the groups of many users and their periods in some channels, in three statements.

    Use it for users other than the caller; the result is not cached.
    """
    groups = await GroupMemberships(ctx.db, ctx.realm).groups_of_each(users)
    subscription_periods: defaultdict[int, defaultdict[ChannelId, list[SubscriptionPeriod]]] = (
        defaultdict(lambda: defaultdict(list))
    )
    values = {"user_ids": list(groups), "channel_ids": list(channel_ids)}
    for *period, user_id, channel_id in await ctx.db.execute(_PERIODS_OF_MANY, values):
        subscription_periods[user_id][ChannelId(channel_id)].append(_periods.read(period))
    return {
        user_id: Membership(
            of_user,
            {
                channel_id: tuple(found)
                for channel_id, found in subscription_periods[user_id].items()
            },
        )
        for user_id, of_user in groups.items()
    }


async def load_subscription_periods(
    db: DatabaseSession, user_id: UserId
) -> dict[ChannelId, tuple[SubscriptionPeriod, ...]]:
    """Returns the subscription periods of a user, by channel."""
    subscription_periods: defaultdict[ChannelId, list[SubscriptionPeriod]] = defaultdict(list)
    for *period, channel_id in await db.fetch(_PERIODS_OF_USER, {"user_id": user_id}):
        subscription_periods[ChannelId(channel_id)].append(_periods.read(period))
    return {channel_id: tuple(found) for channel_id, found in subscription_periods.items()}
