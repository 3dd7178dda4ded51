"""The only code that creates channels."""

from collections.abc import Sequence

from msgspec import Struct

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord, ChannelSummary
from chatapi.core.cooperative import map_in_steps
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelFolderId
from chatapi.core.names import name_key
from chatapi.core.roles import Role
from chatapi.events.audience import RoleAtLeast
from chatapi.features.channels.access import (
    require_default_choice,
    require_kind,
    require_permission_choice,
    require_retention_choice,
    require_topics_policy,
)
from chatapi.features.channels.events import ChannelsCreated, DefaultChannelsChanged
from chatapi.features.channels.folder_choice import folder_for_channel
from chatapi.features.channels.params import ChannelOptions
from chatapi.features.channels.payloads import channel_payload
from chatapi.features.channels.repository import ChannelRepository
from chatapi.features.channels.rules import (
    REALM_DEFAULT,
    ChannelKind,
    check_name,
    one_line,
    retention_days,
)
from chatapi.permissions.channels import channel_visible_to
from chatapi.permissions.stored import new_channel_permissions
from chatapi.permissions.values import ValueChecker
from chatapi.rendering import render_markdown
from chatapi.wire.group_values import GroupSettingPayload


class NewChannel(Struct, frozen=True):
    """The properties of a channel to create."""

    name: str
    description: str = ""


class ChannelCreator:
    """Creates channels; callers have checked that the name is free, and have locked the realm."""

    def __init__(self, ctx: Context, options: ChannelOptions) -> None:
        self._ctx = ctx
        self._options = options
        self._channels = ChannelRepository(ctx.db, ctx.realm.id)

    async def require_rights(self) -> None:
        """Refuse a caller who may not create such a channel."""
        options = self._options
        await require_kind(self._ctx, self._kind())
        if options.topics_policy != "inherit":
            await require_topics_policy(self._ctx)
        if options.is_default_stream:
            require_default_choice(self._ctx, invite_only=options.invite_only)
        if options.message_retention_days != REALM_DEFAULT:
            require_retention_choice(self._ctx)
        for permission in options.chosen_permissions():
            await require_permission_choice(self._ctx, permission)

    async def require_quota(self, count: int) -> None:
        """Refuse if a user and their bots together would exceed the limit of channels per user.

        Channels are never deleted. Administrators have no limit; other users can archive channels,
        or ask an administrator.
        """
        if self._ctx.user.role.at_least(Role.ADMIN):
            return
        limit = self._ctx.settings.channels_per_user
        person = self._ctx.user.bot_owner_id or self._ctx.user.id
        if await self._channels.count_created(person) + count > limit:
            raise BadRequestError(f"Too many channels: one person can create {limit} of them")

    async def create(self, wanted: Sequence[NewChannel]) -> list[ChannelRecord]:
        """Insert channels without subscribers, and emit them to the users who can see them."""
        shared = await self._shared_values()
        own = await map_in_steps(_own_values, wanted)
        channels = await self._channels.add({**shared, **each} for each in own)
        await self._emit(channels)
        return channels

    async def _shared_values(self) -> dict[str, object]:
        kind = self._kind()
        options = self._options
        return {
            "date_created": self._ctx.now(),
            "creator_id": self._ctx.user.id,
            "invite_only": kind.invite_only,
            "is_web_public": kind.is_web_public,
            "history_public_to_subscribers": kind.history_public_to_subscribers,
            "message_retention_days": retention_days(options.message_retention_days),
            "topics_policy": options.topics_policy,
            "default_push_notifications": options.default_push_notifications,
            "is_default": options.is_default_stream,
            "folder_id": await self._folder(),
            "settings": await self._settings(),
        }

    def _kind(self) -> ChannelKind:
        options = self._options
        is_history_public = options.history_public_to_subscribers
        if is_history_public is None:
            is_history_public = not options.invite_only
        return ChannelKind(options.invite_only, options.is_web_public, is_history_public).check()

    async def _folder(self) -> ChannelFolderId | None:
        wish = self._options.folder_id
        return None if wish is None else await folder_for_channel(self._ctx, wish)

    async def _settings(self) -> dict[str, GroupSettingPayload]:
        chosen = self._options.chosen_permissions()
        checker = ValueChecker(self._ctx)
        settings = {**new_channel_permissions(self._ctx.realm, self._ctx.user.id).to_wire()}
        for permission, wanted in chosen.items():
            settings[permission.value] = (await checker.check(permission, wanted)).to_wire()
        return settings

    async def _emit(self, channels: Sequence[ChannelRecord]) -> None:
        for channel in channels:
            summary = ChannelSummary(
                channel, subscriber_count=0, first_message_id=None, last_sent_at=None
            )
            shown = channel_payload(summary, self._ctx.realm, self._ctx.now())
            self._ctx.audit(
                AuditChange(
                    AuditKind.CHANNEL_CREATED,
                    channel_id=channel.id,
                    new={"name": channel.name, "invite_only": channel.invite_only},
                )
            )
            self._ctx.emit(
                ChannelsCreated(streams=[shown]), to=channel_visible_to(self._ctx.realm, channel)
            )
        if self._options.is_default_stream:
            await emit_default_channels(self._ctx)


def _own_values(wanted: NewChannel) -> dict[str, object]:
    name, description = check_name(wanted.name), one_line(wanted.description)
    return {
        "name": name,
        "name_key": name_key(name),
        "description": description,
        "rendered_description": render_markdown(description),
    }


async def emit_default_channels(ctx: Context) -> None:
    """Emit the list of channels that new users join; guests do not receive it."""
    defaults = await ChannelRepository(ctx.db, ctx.realm.id).list_defaults()
    event = DefaultChannelsChanged(default_streams=[channel.id for channel in defaults])
    ctx.emit(event, to=RoleAtLeast(role=Role.MEMBER))
