"""Errors about user groups."""

from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from chatapi.core.errors import ApiError


class SubgroupObjection(TypedDict):
    """The group is a subgroup of active groups."""

    type: Literal["subgroup"]
    """Says that the group is part of other groups."""
    supergroup_ids: list[int]
    """Ids of the active groups that contain it directly."""


class GroupObjection(TypedDict):
    """Permissions of an active group name the group."""

    type: Literal["user_group"]
    """Says that permissions of another group name the group."""
    group_id: int
    """That other group."""
    settings: list[str]
    """Names of the permissions that name the group."""


class RealmObjection(TypedDict):
    """Permissions of the organization name the group."""

    type: Literal["realm"]
    """Says that permissions of the organization name the group."""
    settings: list[str]
    """Names of the permissions that name the group."""


class ChannelObjection(TypedDict):
    """Permissions of a channel name the group."""

    type: Literal["channel"]
    """Says that permissions of a channel name the group."""
    channel_id: int
    """The channel whose permissions name the group."""
    settings: list[str]
    """Names of the permissions that name the group."""


Objection = SubgroupObjection | GroupObjection | RealmObjection | ChannelObjection


@dataclass(eq=False)
class CannotDeactivateGroupInUseError(ApiError):
    """The group is a subgroup of another group, or a permission names it."""

    code = "CANNOT_DEACTIVATE_GROUP_IN_USE"
    text = "Cannot deactivate user group in use."
    objections: list[Objection]
    """Where the group is in use, one entry for each place."""
