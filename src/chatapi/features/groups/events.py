"""Events about user groups.

Clients that did not declare at POST /register that they know deactivated groups receive a removal
when a group is deactivated, and an addition when it is reactivated; in between they receive no
events about it.
"""

from collections.abc import Hashable, Iterable
from typing import Annotated, Any, ClassVar

from typing_extensions import override

from chatapi.core.ids import UserId
from chatapi.events.cache_tags import SHARED_STATE, CacheTag, RealmTag, UserTag, shared_sections
from chatapi.events.client import ClientProfile, ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.groups.payloads import GroupChangePayload, GroupInEvent

_SHARED_LIST = shared_sections("realm_user_groups")


def knows_deactivated_groups(profile: ClientProfile) -> bool:
    """Whether a client keeps deactivated groups in its state."""
    return "include_deactivated_groups" in profile.capabilities


class GroupAdded(Event):
    """A group was created, or reactivated if the client was told that it had been removed."""

    type = "user_group"
    op: ClassVar = "add"
    cache_tags: ClassVar = _SHARED_LIST

    group: GroupInEvent
    """The group, complete; its members without those whom the reader cannot see."""
    is_reactivated: Annotated[bool, ServerOnly()] = False

    @override
    def is_for(self, view: ClientView) -> bool:
        is_news = not (self.is_reactivated and knows_deactivated_groups(view.profile))
        return is_news and super().is_for(view)

    @override
    def variant(self, view: ClientView) -> Hashable:
        return None if view.sees_all_users else tuple(view.visible_among(self.group["members"]))

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body = super().body(view)
        body["group"]["members"] = view.visible_among(self.group["members"])
        return body

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        """The cached groups of its members change."""
        for user_id in self.group["members"]:
            yield UserTag(UserId(user_id))
        if self.group["direct_subgroup_ids"]:
            # Members of subgroups are affected, too.
            yield RealmTag()


class GroupUpdated(Event):
    """The name, the description, permissions or the state of a group changed."""

    type = "user_group"
    op: ClassVar = "update"
    cache_tags: ClassVar = _SHARED_LIST

    group_id: int
    """The group that changed."""
    data: GroupChangePayload
    """Only what changed."""
    is_about_deactivated: Annotated[bool, ServerOnly()] = False
    """Whether the group is deactivated before or after the change."""

    @override
    def is_for(self, view: ClientView) -> bool:
        is_known = not self.is_about_deactivated or knows_deactivated_groups(view.profile)
        return is_known and super().is_for(view)


class GroupRemoved(Event):
    """A group was deactivated; sent to clients that do not know deactivated groups."""

    type = "user_group"
    op: ClassVar = "remove"
    cache_tags: ClassVar = _SHARED_LIST

    group_id: int
    """The group that clients should forget."""

    @override
    def is_for(self, view: ClientView) -> bool:
        return not knows_deactivated_groups(view.profile) and super().is_for(view)


class _MembersChanged(Event):
    """Invalidates the cached groups of each of the users."""

    cache_tags: ClassVar = _SHARED_LIST

    group_id: int
    """The group whose direct members changed."""
    user_ids: list[int]
    """The users who joined or left it, as far as the reader can see them."""
    is_about_deactivated: Annotated[bool, ServerOnly()] = False
    """Whether the group is deactivated; its members change only with their activation."""
    hides_members: Annotated[bool, ServerOnly()] = False
    """Whether the users are still members, but not visible any more to those who receive it."""

    @override
    def is_for(self, view: ClientView) -> bool:
        is_known = not self.is_about_deactivated or knows_deactivated_groups(view.profile)
        return is_known and super().is_for(view) and bool(self._named_to(view))

    @override
    def variant(self, view: ClientView) -> Hashable:
        return None if view.sees_all_users else tuple(self._named_to(view))

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        return {**super().body(view), "user_ids": self._named_to(view)}

    def _named_to(self, view: ClientView) -> list[int]:
        return self.user_ids if self.hides_members else view.visible_among(self.user_ids)

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        for user_id in self.user_ids:
            yield UserTag(UserId(user_id))


class GroupMembersAdded(_MembersChanged):
    """Users became direct members of a group; of a system group, by their new role.

    Guests who see only some users receive it, too, when members become visible to them.
    """

    type = "user_group"
    op: ClassVar = "add_members"


class GroupMembersRemoved(_MembersChanged):
    """Users are no longer direct members of a group; of a system group, by their new role.

    Guests who see only some users receive it, too, when members become invisible to them.
    """

    type = "user_group"
    op: ClassVar = "remove_members"


class _SubgroupsChanged(Event):
    """Invalidates the whole realm: computing whose groups change is not worth it, it is rare."""

    cache_tags: ClassVar = SHARED_STATE | {RealmTag()}

    group_id: int
    """The group whose direct subgroups changed."""
    direct_subgroup_ids: list[int]
    """The groups that were added to it or removed from it."""


class SubgroupsAdded(_SubgroupsChanged):
    """Groups became direct subgroups of a group."""

    type = "user_group"
    op: ClassVar = "add_subgroups"


class SubgroupsRemoved(_SubgroupsChanged):
    """Groups are no longer direct subgroups of a group."""

    type = "user_group"
    op: ClassVar = "remove_subgroups"
