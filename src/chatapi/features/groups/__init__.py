"""User groups: named sets of users, nested, with permissions of their own."""

from chatapi.features.groups.events import GroupMembersAdded, GroupMembersRemoved
from chatapi.features.groups.listing import list_groups_named
from chatapi.features.groups.visibility_events import emit_group_visibility_change

__all__ = [
    "GroupMembersAdded",
    "GroupMembersRemoved",
    "emit_group_visibility_change",
    "list_groups_named",
]
