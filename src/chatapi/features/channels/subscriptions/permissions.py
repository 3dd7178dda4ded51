"""Which users may subscribe others to a channel and unsubscribe them."""

from collections.abc import Collection

from chatapi.auth.context import Context
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.permissions.channels import (
    ChannelAccess,
    channel_access,
    is_allowed_in_channel,
    may_administer,
)
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import ChannelPermission, RealmPermission


class SubscriptionPermissions:
    """Checks the permissions of one caller; `access` is the caller's channel access."""

    def __init__(self, ctx: Context, access: ChannelAccess) -> None:
        self._ctx = ctx
        self._access = access

    @classmethod
    async def of(cls, ctx: Context) -> "SubscriptionPermissions":
        return cls(ctx, await channel_access(ctx))

    def can_see(self, channel: ChannelRecord) -> bool:
        return self._access.can_see(channel)

    async def can_subscribe(
        self, users: Collection[UserRecord], channel: ChannelRecord, *, is_new: bool
    ) -> bool:
        """Whether the caller may subscribe these users.

        `is_new`: the caller has just created the channel.
        """
        others = {user.id for user in users} - {self._ctx.user.id}
        if others and not await self._can_add_others(channel, is_new=is_new):
            return False
        joins = len(others) < len(users)
        return not joins or is_new or await self.can_join(channel)

    async def can_unsubscribe(self, users: Collection[UserRecord], channel: ChannelRecord) -> bool:
        """Callers may always remove themselves and their bots; others by the channel's settings."""
        own = {self._ctx.user.id}
        if all(own & {user.id, user.bot_owner_id} for user in users):
            return True
        if await may_administer(self._ctx, channel):
            return True
        return await is_allowed_in_channel(
            self._ctx, ChannelPermission.CAN_REMOVE_SUBSCRIBERS, channel
        )

    async def can_join(self, channel: ChannelRecord) -> bool:
        """Whether the caller is subscribed, or may subscribe themselves."""
        if self._access.is_subscribed(channel.id):
            return True
        if not self._ctx.user.role.is_member:
            # Guests see web-public channels without a subscription, and no other ones.
            return channel.is_web_public
        if channel.is_public:
            return True
        return await is_allowed_in_channel(
            self._ctx, ChannelPermission.CAN_SUBSCRIBE, channel
        ) or await is_allowed_in_channel(self._ctx, ChannelPermission.CAN_ADD_SUBSCRIBERS, channel)

    async def _can_add_others(self, channel: ChannelRecord, *, is_new: bool) -> bool:
        """Adding others requires read access to the content: seeing the channel is not enough."""
        if not self._ctx.user.role.is_member:
            return False
        if await is_allowed_in_channel(self._ctx, ChannelPermission.CAN_ADD_SUBSCRIBERS, channel):
            return True
        if not is_new and not self._access.can_read(channel):
            return False
        return await is_allowed_in_realm(self._ctx, RealmPermission.CAN_ADD_SUBSCRIBERS)
