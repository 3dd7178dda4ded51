"""Errors about user groups."""

from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from chatapi.core.errors import ApiError


class SubgroupObjection(TypedDict):
    """The group is a subgroup of active groups."""

    type: Literal["subgroup"]
    supergroup_ids: list[int]


class GroupObjection(TypedDict):
    """Permissions of an active group name the group."""

    type: Literal["user_group"]
    group_id: int
    settings: list[str]


class RealmObjection(TypedDict):
    """Permissions of the organization name the group."""

    type: Literal["realm"]
    settings: list[str]


class ChannelObjection(TypedDict):
    """Permissions of a channel name the group."""

    type: Literal["channel"]
    channel_id: int
    settings: list[str]


Objection = SubgroupObjection | GroupObjection | RealmObjection | ChannelObjection


@dataclass(eq=False)
class CannotDeactivateGroupInUseError(ApiError):
    """The group is a subgroup of another group, or a permission names it."""

    code = "CANNOT_DEACTIVATE_GROUP_IN_USE"
    text = "Cannot deactivate user group in use."
    objections: list[Objection]
