"""The groups of default channels in the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.channels.default_group_payloads import (
    DefaultChannelGroupPayload,
    default_groups_payload,
)
from chatapi.features.channels.repository import DefaultGroupRepository
from chatapi.features.state import state_section


class DefaultChannelGroupsState(TypedDict):
    """The groups of channels that new users can choose to join, by name; empty for guests."""

    realm_default_stream_groups: list[DefaultChannelGroupPayload]
    """The groups of channels that new users can choose to join, by name; empty for guests."""


def _is_member(ctx: Context, _profile: ClientProfile) -> bool:
    return ctx.user.role.is_member


@state_section("default_stream_groups", cache_key=_is_member)
async def load_default_channel_groups(
    ctx: Context, _profile: ClientProfile
) -> DefaultChannelGroupsState:
    if not ctx.user.role.is_member:
        return {"realm_default_stream_groups": []}
    groups = await DefaultGroupRepository(ctx.db, ctx.realm.id).list_all()
    return {"realm_default_stream_groups": default_groups_payload(groups)}
