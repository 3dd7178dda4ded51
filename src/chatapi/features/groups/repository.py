"""Every SQL statement on user groups, their members and their subgroups."""

from collections.abc import Collection

from sqlalchemy import delete, insert, not_, select, update

from chatapi.auth.users import UserRecord, user_records
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId, RealmId, UserId
from chatapi.db.models import GroupMember, GroupMention, GroupSubgroup, User, UserGroup
from chatapi.db.session import DatabaseSession
from chatapi.permissions.memberships import GroupRecord, group_records


class GroupRepository:
    """Groups of one realm; groups of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self, group_id: GroupId) -> GroupRecord:
        rows = await self._db.execute(
            group_records.select().where(
                UserGroup.realm_id == self._realm_id, UserGroup.id == group_id
            )
        )
        row = rows.one_or_none()
        if row is None:
            raise BadRequestError("Invalid user group")
        return group_records.read(row)

    async def list_groups(self, *, include_deactivated: bool) -> list[GroupRecord]:
        """By id."""
        statement = (
            group_records.select()
            .where(UserGroup.realm_id == self._realm_id)
            .order_by(UserGroup.id)
        )
        if not include_deactivated:
            statement = statement.where(UserGroup.deactivated.is_(False))
        rows = await self._db.execute(statement)
        return group_records.read_all(rows)

    async def list_some(self, group_ids: Collection[GroupId]) -> list[GroupRecord]:
        """The groups that exist among the given ids, by id."""
        rows = await self._db.execute(
            group_records.select()
            .where(UserGroup.realm_id == self._realm_id, UserGroup.id.in_(group_ids))
            .order_by(UserGroup.id)
        )
        return group_records.read_all(rows)

    async def is_mentioned(self, group_ids: Collection[GroupId]) -> bool:
        """Whether a message mentions any of some groups."""
        rows = await self._db.execute(
            select(GroupMention.group_id).where(GroupMention.group_id.in_(group_ids)).limit(1)
        )
        return rows.first() is not None

    async def list_named(self, name_keys: Collection[str]) -> list[GroupRecord]:
        """The groups with these names, given in lower case."""
        rows = await self._db.execute(
            group_records.select().where(
                UserGroup.realm_id == self._realm_id, UserGroup.name_key.in_(name_keys)
            )
        )
        return group_records.read_all(rows)

    async def name_exists(self, name_key: str) -> bool:
        rows = await self._db.execute(
            select(UserGroup.id).where(
                UserGroup.realm_id == self._realm_id, UserGroup.name_key == name_key
            )
        )
        return rows.one_or_none() is not None

    async def add(self, **values: object) -> GroupId:
        rows = await self._db.execute(
            insert(UserGroup)
            .values(realm_id=self._realm_id, is_system_group=False, deactivated=False, **values)
            .returning(UserGroup.id)
        )
        return GroupId(rows.scalar_one())

    async def change(self, group_id: GroupId, **values: object) -> None:
        await self._db.execute(update(UserGroup).where(UserGroup.id == group_id).values(**values))

    async def add_members(self, group_id: GroupId, user_ids: Collection[UserId]) -> None:
        rows = [{"group_id": group_id, "user_id": user_id} for user_id in user_ids]
        await self._db.execute_many(insert(GroupMember), rows)

    async def remove_members(self, group_id: GroupId, user_ids: Collection[UserId]) -> None:
        await self._db.execute(
            delete(GroupMember).where(
                GroupMember.group_id == group_id, GroupMember.user_id.in_(user_ids)
            )
        )

    async def add_subgroups(self, group_id: GroupId, subgroup_ids: Collection[GroupId]) -> None:
        rows = [{"group_id": group_id, "subgroup_id": subgroup_id} for subgroup_id in subgroup_ids]
        await self._db.execute_many(insert(GroupSubgroup), rows)

    async def remove_subgroups(self, group_id: GroupId, subgroup_ids: Collection[GroupId]) -> None:
        await self._db.execute(
            delete(GroupSubgroup).where(
                GroupSubgroup.group_id == group_id, GroupSubgroup.subgroup_id.in_(subgroup_ids)
            )
        )

    async def direct_subgroups_of(self, group_id: GroupId) -> set[GroupId]:
        rows = await self._db.execute(
            select(GroupSubgroup.subgroup_id).where(GroupSubgroup.group_id == group_id)
        )
        return {GroupId(subgroup_id) for (subgroup_id,) in rows}

    async def get_user(self, user_id: UserId) -> UserRecord:
        rows = await self._db.execute(
            user_records.select().where(User.realm_id == self._realm_id, User.id == user_id)
        )
        row = rows.one_or_none()
        if row is None:
            raise BadRequestError("No such user")
        return user_records.read(row)

    async def active_users_among(self, user_ids: Collection[UserId]) -> set[UserId]:
        rows = await self._db.execute(
            select(User.id).where(
                User.realm_id == self._realm_id,
                User.id.in_(user_ids),
                User.is_active,
                not_(User.is_system_bot),
            )
        )
        return {UserId(user_id) for (user_id,) in rows}
