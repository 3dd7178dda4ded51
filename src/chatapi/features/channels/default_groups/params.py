"""Parameters of groups of default channels."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.features.channels.params import ChannelName
from chatapi.wire.limits import (
    MAX_DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH,
    MAX_DEFAULT_CHANNEL_GROUP_NAME_LENGTH,
)
from chatapi.wire.params import Params

MAX_GROUPS = 100
"""Limit per realm: every client loads all of them."""
MAX_CHANNELS = 500
"""Limit per group."""

GroupName = Annotated[
    str, Field(max_length=MAX_DEFAULT_CHANNEL_GROUP_NAME_LENGTH, examples=["Engineering"])
]
GroupDescription = Annotated[
    str,
    Field(max_length=MAX_DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH),
]
ChannelNames = Annotated[list[ChannelName], Field(max_length=MAX_CHANNELS)]


class CreateDefaultGroupParams(Params):
    """POST /default_stream_groups/create."""

    group_name: GroupName
    """What new users see; must differ from the names of other groups in more than case."""
    description: GroupDescription
    """What the channels have in common, as plain text; may be empty."""
    stream_names: ChannelNames
    """Names of public channels that are joined together. Channels that all new users join cannot be
    among them."""


class ChangeDefaultGroupParams(Params):
    """PATCH /default_stream_groups/{group_id}: what is not passed stays unchanged."""

    new_group_name: GroupName | None = None
    """Replaces the name of the group."""
    new_description: GroupDescription | None = None
    """Replaces the description of the group; may be empty."""


class ChangeGroupChannelsParams(Params):
    """PATCH /default_stream_groups/{group_id}/streams."""

    op: Literal["add", "remove"]
    """Whether the channels are put into the group or taken out of it."""
    stream_names: ChannelNames
    """Names of the channels to add or to remove."""
