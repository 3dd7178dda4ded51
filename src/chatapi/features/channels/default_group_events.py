"""Emits the groups of default channels, and removes channels that may not be in one."""

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import UserId
from chatapi.core.roles import Role
from chatapi.events.audience import RoleAtLeast, Users
from chatapi.events.event import Event
from chatapi.features.channels.default_group_payloads import (
    DefaultChannelGroupPayload,
    default_groups_payload,
)
from chatapi.features.channels.repository import DefaultGroupRepository


class DefaultChannelGroupsChanged(Event):
    """The groups of channels that new users can choose to join changed."""

    type = "default_stream_groups"

    default_stream_groups: list[DefaultChannelGroupPayload]
    """All of them, by name."""


async def emit_default_groups(ctx: RealmContext) -> None:
    """Emit all groups; guests do not receive them."""
    groups = await DefaultGroupRepository(ctx.db, ctx.realm.id).list_all()
    event = DefaultChannelGroupsChanged(default_stream_groups=default_groups_payload(groups))
    ctx.emit(event, to=RoleAtLeast(role=Role.MEMBER))


async def emit_default_groups_for_new_role(
    ctx: RealmContext, user_id: UserId, *, is_member: bool
) -> None:
    """Emit the groups to a guest who became a member, or their end to one who became a guest."""
    groups = await DefaultGroupRepository(ctx.db, ctx.realm.id).list_all()
    if groups:
        shown = default_groups_payload(groups) if is_member else []
        event = DefaultChannelGroupsChanged(default_stream_groups=shown)
        ctx.emit(event, to=Users.only(user_id))


async def leave_default_groups(ctx: RealmContext, channel: ChannelRecord) -> None:
    """Remove a channel from all groups: it became a default channel, private or archived."""
    repository = DefaultGroupRepository(ctx.db, ctx.realm.id)
    if any(channel.id in group.channel_ids for group in await repository.list_all()):
        await repository.leave_all(channel.id)
        await emit_default_groups(ctx)
