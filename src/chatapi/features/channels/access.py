"""Looks up channels that the caller can see, and checks which kinds the caller may create."""

from collections.abc import Iterable

from chatapi.auth.context import Context, RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import AdministratorRequiredError, BadRequestError, OwnerRequiredError
from chatapi.core.ids import ChannelId
from chatapi.core.roles import Role
from chatapi.features.channels.repository import ChannelRepository
from chatapi.features.channels.rules import ChannelKind
from chatapi.permissions.channels import channel_access, may_administer
from chatapi.permissions.realm import require_in_realm
from chatapi.permissions.settings import ChannelPermission, RealmPermission

_ABOUT_DELETING = {
    ChannelPermission.CAN_DELETE_ANY_MESSAGE,
    ChannelPermission.CAN_DELETE_OWN_MESSAGE,
}


class ChannelFinder:
    """Looks up channels by id; a channel the caller may not see is as invalid as a missing one."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)

    async def get_known(self, channel_id: ChannelId) -> ChannelRecord:
        """A channel that the caller can see, archived or not."""
        channel = await self._channels.get(channel_id)
        if not (await channel_access(self._ctx)).can_see(channel):
            raise BadRequestError("Invalid channel ID")
        return channel

    async def get_administered(self, channel_id: ChannelId) -> ChannelRecord:
        """A channel that the caller may administer."""
        channel = await self.get_known(channel_id)
        if not await may_administer(self._ctx, channel):
            raise BadRequestError("Insufficient permission")
        return channel


async def list_channels(ctx: RealmContext) -> list[ChannelRecord]:
    """All channels of the realm, archived and private ones included."""
    return await ChannelRepository(ctx.db, ctx.realm.id).list_all()


async def list_channels_named(ctx: RealmContext, names: Iterable[str]) -> dict[str, ChannelRecord]:
    """The channels of the realm with these names, by name."""
    return await ChannelRepository(ctx.db, ctx.realm.id).list_named(names)


async def require_kind(ctx: Context, kind: ChannelKind) -> None:
    """Refuse if the caller may not have channels of this kind, by creating or changing one."""
    if kind.is_web_public:
        if not ctx.settings.web_public_streams_enabled:
            raise BadRequestError("is_web_public: switched off on this server")
        if not ctx.realm.options.enable_spectator_access:
            raise BadRequestError("is_web_public: switched off in this organization")
        await require_in_realm(ctx, RealmPermission.CAN_CREATE_WEB_PUBLIC_CHANNEL)
    elif kind.invite_only:
        await require_in_realm(ctx, RealmPermission.CAN_CREATE_PRIVATE_CHANNEL)
    else:
        await require_in_realm(ctx, RealmPermission.CAN_CREATE_PUBLIC_CHANNEL)


async def require_topics_policy(ctx: Context) -> None:
    await require_in_realm(ctx, RealmPermission.CAN_SET_TOPICS_POLICY)


async def require_permission_choice(ctx: Context, permission: ChannelPermission) -> None:
    """Require the realm permission for changing a channel's settings about deleting messages.

    Being able to administer a channel is not enough for these.
    """
    if permission in _ABOUT_DELETING:
        await require_in_realm(ctx, RealmPermission.CAN_SET_DELETE_MESSAGE_POLICY)


def require_default_choice(ctx: Context, *, invite_only: bool) -> None:
    """Only administrators choose the default channels of new users; these cannot be private."""
    if not ctx.user.role.at_least(Role.ADMIN):
        raise AdministratorRequiredError
    if invite_only:
        raise BadRequestError("is_default_stream: A private channel cannot be a default channel")


def require_retention_choice(ctx: Context) -> None:
    if ctx.user.role is not Role.OWNER:
        raise OwnerRequiredError


def require_not_archived(channel: ChannelRecord) -> None:
    if channel.is_archived:
        raise BadRequestError("Channel is archived")
