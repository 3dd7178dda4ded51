"""Endpoints of groups of default channels."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import Admin
from chatapi.core.ids import DefaultChannelGroupId
from chatapi.features.channels.default_groups.params import (
    ChangeDefaultGroupParams,
    ChangeGroupChannelsParams,
    CreateDefaultGroupParams,
)
from chatapi.features.channels.default_groups.service import DefaultGroupService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

DefaultGroupInPath = Annotated[
    Id, Field(description="The `id` of the group in `realm_default_stream_groups`.")
]

router = FeatureRouter(
    "Default channel groups", "Channels that new users can choose to join together."
)


@router.post("/default_stream_groups/create")
async def create_default_channel_group(ctx: Admin, params: CreateDefaultGroupParams) -> None:
    """Create a group of default channels.

    Its name must differ from those of all others in more than case. Private and archived channels
    cannot be in a group, nor those that all new users join. `default_stream_groups` events and
    `POST /register` show the groups with their ids.
    """
    await DefaultGroupService(ctx).create(params)


@router.patch("/default_stream_groups/{group_id:int}")
async def change_default_channel_group(
    ctx: Admin, group_id: DefaultGroupInPath, params: ChangeDefaultGroupParams
) -> None:
    """Change a group of default channels.

    For administrators. Changes its name, its description or both; its name must differ from those
    of all others in more than case. Members receive a `default_stream_groups` event.
    """
    await DefaultGroupService(ctx).change(DefaultChannelGroupId(group_id), params)


@router.delete("/default_stream_groups/{group_id:int}")
async def delete_default_channel_group(ctx: Admin, group_id: DefaultGroupInPath) -> None:
    """Delete a group of default channels.

    For administrators. The channels and their subscribers stay. Members receive a
    `default_stream_groups` event.
    """
    await DefaultGroupService(ctx).delete(DefaultChannelGroupId(group_id))


@router.patch("/default_stream_groups/{group_id:int}/streams")
async def change_channels_of_default_channel_group(
    ctx: Admin, group_id: DefaultGroupInPath, params: ChangeGroupChannelsParams
) -> None:
    """Add channels to a group of default channels, or remove them from it.

    All of them, or none if one cannot be added or is not in the group.
    """
    await DefaultGroupService(ctx).change_channels(DefaultChannelGroupId(group_id), params)
