"""Lists groups; all users may read them."""

from collections.abc import Collection

from chatapi.auth.context import Context, RealmContext
from chatapi.features.groups.payloads import UserGroupPayload, group_payload
from chatapi.features.groups.repository import GroupRepository
from chatapi.permissions.memberships import GroupMemberships, GroupRecord
from chatapi.permissions.user_visibility import user_visibility


class GroupReader:
    """Lists groups with their direct members and subgroups."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._groups = GroupRepository(ctx.db, ctx.realm.id)
        self._memberships = GroupMemberships(ctx.db, ctx.realm)

    async def list_groups(self, *, include_deactivated: bool) -> list[UserGroupPayload]:
        """All groups by id, with the members the caller may see.

        Three statements, however many groups there are, and one more for restricted guests.
        """
        groups = await self._groups.list_groups(include_deactivated=include_deactivated)
        members = await self._memberships.direct_members()
        subgroups = await self._memberships.direct_subgroups()
        visibility = await user_visibility(self._ctx)
        return [
            group_payload(
                self._ctx.realm,
                group,
                visibility.among(members.get(group.id, [])),
                subgroups.get(group.id, []),
            )
            for group in groups
        ]

    async def show(self, group: GroupRecord) -> UserGroupPayload:
        """One group with all its members, for events."""
        members = await self._memberships.direct_members_of(group.id)
        subgroups = await self._groups.direct_subgroups_of(group.id)
        return group_payload(self._ctx.realm, group, sorted(members), sorted(subgroups))


async def list_groups_named(ctx: RealmContext, name_keys: Collection[str]) -> list[GroupRecord]:
    """The groups with these names, deactivated ones included."""
    return await GroupRepository(ctx.db, ctx.realm.id).list_named(name_keys) if name_keys else []
