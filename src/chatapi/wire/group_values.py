"""Group-setting values (SPEC 2.4): a group's id, or an unnamed set of users and groups.

The same value is read, validated, stored, compared and shown everywhere: as parameter it is
`GroupSettingParam`, internally it is `GroupValue`, and `to_wire` is what is stored and shown.
"""

from functools import lru_cache
from typing import Annotated

from msgspec import Struct
from pydantic import Field
from typing_extensions import TypedDict

from chatapi.core.ids import GroupId, UserId
from chatapi.wire.params import WireModel
from chatapi.wire.types import Id

_MAX_ENTRIES = 10_000


class UnnamedGroup(WireModel):
    """A set of users and groups that exists only as the value of one setting."""

    direct_members: Annotated[list[Id], Field(max_length=_MAX_ENTRIES)]
    """Ids of the users in the set."""
    direct_subgroups: Annotated[list[Id], Field(max_length=_MAX_ENTRIES)]
    """Ids of user groups, whose members are in the set as well."""


GroupSettingParam = Id | UnnamedGroup
"""The form clients send."""


class GroupSettingChange(WireModel):
    """A new value, and the old one if the client wants to detect changes by others."""

    new: GroupSettingParam
    """The value from now on: the id of a user group, or an unnamed set of users and groups."""
    old: GroupSettingParam | None = None
    """The value that you believe it has. If it has another one, the request is refused with
    `EXPECTATION_MISMATCH`."""


class UnnamedGroupPayload(TypedDict):
    """A set of users and groups that exists only as the value of one setting."""

    direct_members: list[int]
    """Ids of the users in the set, in order."""
    direct_subgroups: list[int]
    """Ids of user groups, in order; their members are in the set as well."""


GroupSettingPayload = int | UnnamedGroupPayload
"""The form that is stored and sent to clients."""


class GroupValue(Struct, frozen=True):
    """The users and groups that a setting includes; equal values include the same ones directly."""

    members: frozenset[UserId]
    subgroups: frozenset[GroupId]

    @staticmethod
    @lru_cache(maxsize=10_000)
    def of_group(group_id: GroupId) -> "GroupValue":
        """The value of most settings; cached, since every message needs it."""
        return GroupValue(frozenset(), frozenset({group_id}))

    @classmethod
    def of_user(cls, user_id: UserId) -> "GroupValue":
        return cls(frozenset({user_id}), frozenset())

    @classmethod
    def from_param(cls, value: GroupSettingParam) -> "GroupValue":
        if isinstance(value, int):
            return cls.of_group(GroupId(value))
        return cls(
            frozenset(UserId(user_id) for user_id in value.direct_members),
            frozenset(GroupId(group_id) for group_id in value.direct_subgroups),
        )

    @classmethod
    def from_wire(cls, value: GroupSettingPayload) -> "GroupValue":
        """Read a value that `to_wire` returned."""
        if isinstance(value, int):
            return cls.of_group(GroupId(value))
        return cls(
            frozenset(UserId(user_id) for user_id in value["direct_members"]),
            frozenset(GroupId(group_id) for group_id in value["direct_subgroups"]),
        )

    @property
    def only_group(self) -> GroupId | None:
        """The group, if the value is exactly one; None for an unnamed set."""
        if self.members or len(self.subgroups) != 1:
            return None
        return next(iter(self.subgroups))

    def to_wire(self) -> GroupSettingPayload:
        if self.only_group is not None:
            return self.only_group
        return {
            "direct_members": sorted(self.members),
            "direct_subgroups": sorted(self.subgroups),
        }

    def includes(self, user_id: UserId, groups: frozenset[GroupId]) -> bool:
        """Whether it includes a user who is in these groups, nested ones included."""
        return user_id in self.members or not self.subgroups.isdisjoint(groups)
