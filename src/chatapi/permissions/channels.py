"""Channel visibility and access: the rules that all reads, writes and event audiences share."""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple, Protocol

from chatapi.auth.context import Context, RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import ChannelId, EventNumber, MessageId, UserId
from chatapi.core.roles import Role
from chatapi.events.audience import ChannelReaders, ChannelVisibleTo, Subscribers
from chatapi.events.membership import Membership
from chatapi.permissions.memberships import GroupMemberships
from chatapi.permissions.readers import load_subscription_periods, membership_of, memberships_of
from chatapi.permissions.require import is_allowed
from chatapi.permissions.settings import ChannelPermission
from chatapi.permissions.stored import channel_permissions
from chatapi.wire.group_values import GroupValue

READ_PERMISSIONS = frozenset(
    {ChannelPermission.CAN_ADD_SUBSCRIBERS, ChannelPermission.CAN_SUBSCRIBE}
)
"""Permissions whose members may read a channel: they could subscribe themselves anyway."""
_VISIBILITY_PERMISSIONS = READ_PERMISSIONS | {ChannelPermission.CAN_ADMINISTER_CHANNEL}


class ChannelAccess(NamedTuple):
    """Which channels and channel messages a reader may see; every read uses this class."""

    realm: RealmRecord
    user: UserRecord | None
    """None: a visitor without an account."""
    membership: Membership
    shows_web_public: bool
    """Whether the realm shows its web-public channels to visitors without an account."""

    def can_see(self, channel: ChannelRecord) -> bool:
        """Whether the reader may know of the channel: its name, settings and subscribers."""
        if self.can_read(channel):
            return True
        if self.user is None or not self.user.role.is_member:
            return False
        return self.user.role.at_least(Role.ADMIN) or self._is_named(
            channel, _VISIBILITY_PERMISSIONS
        )

    def can_read(self, channel: ChannelRecord) -> bool:
        """Whether the reader may read any messages of the channel."""
        # First, because lists ask for each channel, and most are public ones.
        if not channel.invite_only and self.user is not None and self.user.role.is_member:
            return True
        if self._is_open_to_the_web(channel):
            return True
        if self.user is None:
            return False
        if self.is_subscribed(channel.id):
            return True
        if not self.user.role.is_member:
            return False
        return self._is_named(channel, READ_PERMISSIONS)

    def can_read_all(self, channel: ChannelRecord) -> bool:
        """Whether the reader may read the whole history of the channel."""
        return self.can_read(channel) and not channel.has_protected_history

    def can_see_message(
        self, channel: ChannelRecord, message_id: MessageId, arrival: EventNumber | None
    ) -> bool:
        """Whether the reader may see a message of the channel.

        `arrival` is the number of the event that moved it there, None if it was sent there.
        """
        if not channel.has_protected_history:
            return self.can_read(channel)
        if not self.is_subscribed(channel.id):
            return False
        return self.membership.received(channel.id, message_id, arrival)

    def is_subscribed(self, channel_id: ChannelId) -> bool:
        return self.membership.is_subscribed(channel_id)

    def _is_open_to_the_web(self, channel: ChannelRecord) -> bool:
        if not channel.is_web_public:
            return False
        return self.user is not None or self.shows_web_public

    def _is_named(self, channel: ChannelRecord, permissions: frozenset[ChannelPermission]) -> bool:
        if self.user is None:
            return False
        values = channel_permissions(self.realm, channel)
        return any(
            values.permission(each).includes(self.user.id, self.membership.groups)
            for each in permissions
        )


async def channel_access(ctx: RealmContext) -> ChannelAccess:
    """Returns the channel access of the reader of this request."""
    return ChannelAccess(
        realm=ctx.realm,
        user=ctx.reader,
        membership=await membership_of(ctx),
        shows_web_public=(
            ctx.realm.options.enable_spectator_access and ctx.settings.web_public_streams_enabled
        ),
    )


async def channel_access_of(ctx: RealmContext, user: UserRecord) -> ChannelAccess:
    """Returns the channel access of any user, who need not be the caller."""
    groups = await GroupMemberships(ctx.db, ctx.realm).groups_of(user)
    membership = Membership(groups, await load_subscription_periods(ctx.db, user.id))
    return ChannelAccess(ctx.realm, user, membership, shows_web_public=False)


async def channel_access_of_each(
    ctx: RealmContext, users: Collection[UserRecord], channel_ids: Collection[ChannelId]
) -> dict[UserId, ChannelAccess]:
    """Returns the access of many users, valid only for questions about the given channels."""
    memberships = await memberships_of(ctx, users, channel_ids)
    return {
        user.id: ChannelAccess(ctx.realm, user, memberships[user.id], shows_web_public=False)
        for user in users
    }


async def readable_channels(
    ctx: RealmContext, channel_ids: Collection[ChannelId]
) -> frozenset[ChannelId]:
    """Returns those of the given channels that the reader may read."""
    if not channel_ids:
        return frozenset()
    access = await channel_access(ctx)
    found = await ctx.runtime.channels.many(ctx.db, ctx.realm.id, channel_ids)
    return frozenset(channel.id for channel in found.values() if access.can_read(channel))


async def is_allowed_in_channel(
    ctx: Context, permission: ChannelPermission, channel: ChannelRecord
) -> bool:
    """Whether a permission of the channel includes the caller."""
    return await is_allowed(ctx, permission, channel_permissions(ctx.realm, channel))


async def may_administer(ctx: Context, channel: ChannelRecord) -> bool:
    """Whether the caller may administer the channel: admins, and users its setting includes."""
    if ctx.user.role.at_least(Role.ADMIN):
        return True
    if not (await channel_access(ctx)).can_see(channel):
        return False
    return await is_allowed_in_channel(ctx, ChannelPermission.CAN_ADMINISTER_CHANNEL, channel)


def channel_visible_to(realm: RealmRecord, channel: ChannelRecord) -> ChannelVisibleTo:
    """Returns the audience of events about a channel: users for whom `can_see` is true."""
    return ChannelVisibleTo(
        channel_id=channel.id,
        invite_only=channel.invite_only,
        is_web_public=channel.is_web_public,
        visible_to=_united(realm, channel, _VISIBILITY_PERMISSIONS).to_wire(),
    )


def channel_readers(realm: RealmRecord, channel: ChannelRecord) -> ChannelReaders:
    """Returns the audience of content sent now: users for whom `can_read` is true."""
    return ChannelReaders(
        channel_id=channel.id,
        is_public=channel.is_public,
        is_web_public=channel.is_web_public,
        is_history_protected=channel.has_protected_history,
        open_to=_united(realm, channel, READ_PERMISSIONS).to_wire(),
    )


def _united(
    realm: RealmRecord, channel: ChannelRecord, permissions: frozenset[ChannelPermission]
) -> GroupValue:
    """Returns the union of several permissions: the users that at least one of them includes."""
    stored = channel_permissions(realm, channel)
    values = [stored.permission(each) for each in permissions]
    return GroupValue(
        members=frozenset().union(*(value.members for value in values)),
        subgroups=frozenset().union(*(value.subgroups for value in values)),
    )


def channel_subscribers(channel: ChannelRecord) -> Subscribers:
    """Returns the audience of a message: the channel's subscribers as of the event."""
    return _subscribers_of(channel.id, channel.is_public)


@lru_cache(maxsize=1_000)
def _subscribers_of(channel_id: ChannelId, is_public: bool) -> Subscribers:  # noqa: FBT001 (a key)
    """The same object for all messages of a channel: its JSON is encoded once."""
    return Subscribers(channel_id=channel_id, is_public=is_public)


class Arrived(Protocol):
    """A message, and the event that moved it into its channel (None if it was sent there)."""

    @property
    def id(self) -> MessageId: ...

    @property
    def arrival(self) -> EventNumber | None: ...


def subscribers_who_see(channel: ChannelRecord, message: Arrived) -> Subscribers:
    """Returns the audience of changes to a message: the subscribers who may see the message."""
    audience = channel_subscribers(channel)
    if not channel.has_protected_history:
        return audience
    return audience.model_copy(update={"received": message.id, "arrival": message.arrival})
