"""Group membership including nested groups; most lookups take one statement."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import (
    CTE,
    ColumnElement,
    CompoundSelect,
    Select,
    and_,
    bindparam,
    case,
    not_,
    null,
    or_,
    select,
    union,
)

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.users import UserRecord
from chatapi.core.ids import GroupId, RealmId, UserId
from chatapi.core.roles import Role
from chatapi.core.system_groups import direct_system_group, system_groups_of
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import GroupMember, GroupSubgroup, User, UserGroup
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.wire.group_values import GroupSettingPayload


class GroupRecord(Struct, frozen=True):
    """A row of the group table."""

    id: GroupId
    realm_id: RealmId
    name: str
    description: str
    is_system_group: bool
    creator_id: UserId | None
    date_created: datetime | None
    deactivated: bool
    settings: dict[str, GroupSettingPayload]


class DirectGroup(NamedTuple):
    """A group that a user is a direct member of."""

    id: GroupId
    is_deactivated: bool


group_records = RecordReader(GroupRecord, UserGroup)
_NAMED_GROUPS: Select[*tuple[Any, ...]] = (
    select(GroupMember.user_id, GroupMember.group_id, UserGroup.deactivated)
    .join(UserGroup, UserGroup.id == GroupMember.group_id)
    .where(is_one_of(GroupMember.user_id, "user_ids"))
    .order_by(GroupMember.group_id, GroupMember.user_id)
)
_DIRECT_GROUPS: Select[*tuple[Any, ...]] = select(GroupMember.user_id, GroupMember.group_id).where(
    is_one_of(GroupMember.user_id, "user_ids")
)


def _above(groups: Select[*tuple[Any, ...]] | CompoundSelect[*tuple[Any, ...]]) -> CTE:
    """Returns groups and all their supergroups, as a recursive query."""
    above = select(groups.subquery().c.id).cte("above", recursive=True)
    return above.union(
        select(GroupSubgroup.group_id).join(above, above.c.id == GroupSubgroup.subgroup_id)
    )


_GROUPS_OF_USER = select(
    _above(
        select(UserGroup.id)
        .where(is_one_of(UserGroup.id, "system_ids"))
        .union(select(GroupMember.group_id).where(GroupMember.user_id == bindparam("user_id")))
    ).c.id
)


class GroupMemberships:
    """Looks up the groups of one realm and their members."""

    def __init__(self, db: DatabaseSession, realm: RealmRecord) -> None:
        self._db = db
        self._realm = realm

    async def groups_of(self, user: UserRecord) -> frozenset[GroupId]:
        """Returns every group a user is in, directly or through nested groups."""
        by_role = system_groups_of(user.role, is_full_member=user.is_full_member)
        system_ids = [self._realm.system_groups[group] for group in by_role]
        values = {"system_ids": system_ids, "user_id": user.id}
        rows = await self._db.fetch(_GROUPS_OF_USER, values)
        return _shared(frozenset(GroupId(group_id) for (group_id,) in rows))

    async def groups_of_each(
        self, users: Collection[UserRecord]
    ) -> dict[UserId, frozenset[GroupId]]:
        """Returns every group of each of many users, in two statements for any number of users."""
        rows = await self._db.execute(_DIRECT_GROUPS, {"user_ids": [user.id for user in users]})
        direct: defaultdict[int, set[GroupId]] = defaultdict(set)
        for user_id, group_id in rows:
            direct[user_id].add(GroupId(group_id))
        around: defaultdict[GroupId, set[GroupId]] = defaultdict(set)
        for group_id, subgroup_ids in (await self.direct_subgroups()).items():
            for subgroup_id in subgroup_ids:
                around[subgroup_id].add(group_id)
        groups: dict[UserId, frozenset[GroupId]] = {}
        for user in users:
            by_role = system_groups_of(user.role, is_full_member=user.is_full_member)
            system_ids = {GroupId(self._realm.system_groups[group]) for group in by_role}
            groups[user.id] = _with_supergroups(system_ids | direct[user.id], around)
        return groups

    async def named_groups_of(self, user_id: UserId) -> list[GroupRecord]:
        """Returns the groups a user was added to directly, deactivated ones included."""
        rows = await self._db.execute(
            group_records.select()
            .join(GroupMember, GroupMember.group_id == UserGroup.id)
            .where(GroupMember.user_id == user_id)
            .order_by(UserGroup.id)
        )
        return group_records.read_all(rows)

    async def direct_groups_of_each(
        self, users: Iterable[UserRecord]
    ) -> dict[DirectGroup, list[UserId]]:
        """Returns the direct groups of active users: by role, and those they were added to."""
        members: defaultdict[DirectGroup, list[UserId]] = defaultdict(list)
        active = {user.id: user for user in users if user.is_active}
        for user in active.values():
            group = direct_system_group(user.role, is_full_member=user.is_full_member)
            by_role = DirectGroup(GroupId(self._realm.system_groups[group]), is_deactivated=False)
            members[by_role].append(user.id)
        rows = await self._db.execute(_NAMED_GROUPS, {"user_ids": list(active)})
        for user_id, group_id, is_deactivated in rows:
            members[DirectGroup(GroupId(group_id), is_deactivated)].append(UserId(user_id))
        return members

    async def members_of(self, group_ids: Iterable[GroupId]) -> set[UserId]:
        """Returns all active users who are in any of the groups."""
        below = self._below(group_ids)
        in_person = select(GroupMember.user_id).join(below, below.c.id == GroupMember.group_id)
        by_role = self._direct_system_group().in_(select(below.c.id))
        rows = await self._db.execute(
            self._accounts(User.id).where(or_(User.id.in_(in_person), by_role))
        )
        return {UserId(user_id) for (user_id,) in rows}

    async def supergroups_of(self, group_id: GroupId) -> set[GroupId]:
        """Returns all groups that a group is nested in, and the group itself."""
        itself = select(UserGroup.id).where(
            UserGroup.realm_id == self._realm.id, UserGroup.id == group_id
        )
        rows = await self._db.execute(select(_above(itself).c.id))
        return {GroupId(above_id) for (above_id,) in rows}

    async def subgroups_of(self, group_ids: Iterable[GroupId]) -> set[GroupId]:
        """Returns all groups nested in the given ones, and the given ones themselves."""
        rows = await self._db.execute(select(self._below(group_ids).c.id))
        return {GroupId(group_id) for (group_id,) in rows}

    async def direct_members(self) -> dict[GroupId, list[UserId]]:
        """Returns the direct members of every group of the realm, without deactivated users."""
        rows = await self._db.execute(
            union(
                self._accounts(GroupMember.group_id, User.id).join(
                    GroupMember, GroupMember.user_id == User.id
                ),
                self._accounts(self._direct_system_group(), User.id),
            )
        )
        members: defaultdict[GroupId, list[UserId]] = defaultdict(list)
        for group_id, user_id in sorted(tuple(row) for row in rows):
            members[GroupId(group_id)].append(UserId(user_id))
        return members

    async def direct_members_of(self, group_id: GroupId) -> set[UserId]:
        """Returns the direct members of one group, without deactivated users."""
        in_person = select(GroupMember.user_id).where(GroupMember.group_id == group_id)
        by_role = self._direct_system_group() == group_id
        rows = await self._db.execute(
            self._accounts(User.id).where(or_(User.id.in_(in_person), by_role))
        )
        return {UserId(user_id) for (user_id,) in rows}

    async def direct_subgroups(self) -> dict[GroupId, list[GroupId]]:
        """Returns the direct subgroups of every group of the realm."""
        rows = await self._db.execute(
            select(GroupSubgroup.group_id, GroupSubgroup.subgroup_id)
            .join(UserGroup, UserGroup.id == GroupSubgroup.group_id)
            .where(UserGroup.realm_id == self._realm.id)
            .order_by(GroupSubgroup.group_id, GroupSubgroup.subgroup_id)
        )
        subgroups: defaultdict[GroupId, list[GroupId]] = defaultdict(list)
        for group_id, subgroup_id in rows:
            subgroups[GroupId(group_id)].append(GroupId(subgroup_id))
        return subgroups

    def _below(self, group_ids: Iterable[GroupId]) -> CTE:
        below = (
            select(UserGroup.id)
            .where(UserGroup.realm_id == self._realm.id, UserGroup.id.in_(list(group_ids)))
            .cte("below", recursive=True)
        )
        return below.union(
            select(GroupSubgroup.subgroup_id).join(below, below.c.id == GroupSubgroup.group_id)
        )

    def _accounts(self, *columns: Any) -> Select[*tuple[Any, ...]]:  # noqa: ANN401 (SQL columns)
        """Selects active users. Memberships outlast a deactivation, but count only while active."""
        return (
            select(*columns)
            .select_from(User)
            .where(User.realm_id == self._realm.id, User.is_active, not_(User.is_system_bot))
        )

    def _direct_system_group(self) -> ColumnElement[Any]:
        """The id of the system group that a row of the user table belongs to."""
        group_ids = self._realm.system_groups
        choices: list[tuple[ColumnElement[bool], int]] = []
        for role in Role:
            for is_full_member in (True, False):
                group = direct_system_group(role, is_full_member=is_full_member)
                is_such = and_(User.role == role, User.is_full_member == is_full_member)
                choices.append((is_such, group_ids[group]))
        return case(*choices, else_=null())


@lru_cache(maxsize=1_000)
def _shared(groups: frozenset[GroupId]) -> frozenset[GroupId]:
    """Users with the same groups, as most have only those of their role, share one set."""
    return groups


def _with_supergroups(
    group_ids: set[GroupId], around: Mapping[GroupId, Collection[GroupId]]
) -> frozenset[GroupId]:
    """Returns groups and all their supergroups. `around` maps a group to its direct supergroups."""
    found: set[GroupId] = set()
    unseen = set(group_ids)
    while unseen:
        group_id = unseen.pop()
        found.add(group_id)
        unseen.update(each for each in around.get(group_id, ()) if each not in found)
    return frozenset(found)
