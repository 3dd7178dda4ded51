"""Validation of values for permission settings."""

from collections.abc import Iterable

from sqlalchemy import not_, select

from chatapi.auth.context import RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import UserId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import User, UserGroup
from chatapi.db.session import DatabaseSession
from chatapi.permissions.memberships import GroupRecord, group_records
from chatapi.permissions.settings import Permission
from chatapi.wire.group_values import GroupSettingParam, GroupValue


class ValueChecker:
    """Checks values against a permission, and the realm's users and groups."""

    def __init__(self, ctx: RealmContext) -> None:
        self._db: DatabaseSession = ctx.db
        self._realm = ctx.realm

    async def check(self, permission: Permission, value: GroupSettingParam) -> GroupValue:
        """Returns the value if its users and groups exist and the permission may include them."""
        checked = GroupValue.from_param(value)
        groups = await self._existing_groups(checked, permission)
        self._check_system_groups(permission, checked, groups)
        await self._check_people(checked.members, permission)
        return checked

    async def _existing_groups(self, value: GroupValue, name: str) -> list[GroupRecord]:
        if not value.subgroups:
            return []
        rows = await self._db.execute(
            group_records.select().where(
                UserGroup.realm_id == self._realm.id, UserGroup.id.in_(list(value.subgroups))
            )
        )
        groups = group_records.read_all(rows)
        if len(groups) != len(value.subgroups):
            raise BadRequestError(f"{name}: Invalid user group")
        for group in groups:
            if group.deactivated:
                raise BadRequestError(f"{name}: User group is deactivated: {group.name}")
        return groups

    def _check_system_groups(
        self, permission: Permission, value: GroupValue, groups: list[GroupRecord]
    ) -> None:
        system = [SystemGroup(group.name) for group in groups if group.is_system_group]
        if permission.setting.require_system_group and (value.only_group is None or not system):
            raise BadRequestError(f"'{permission}' must be a system user group.")
        for group in system:
            if not permission.setting.allows(group):
                raise BadRequestError(f"'{permission}' cannot be set to '{group}' group.")

    async def _check_people(self, members: Iterable[UserId], name: str) -> None:
        wanted = set(members)
        if not wanted:
            return
        rows = await self._db.execute(
            select(User.id).where(
                User.realm_id == self._realm.id,
                User.id.in_(list(wanted)),
                User.is_active,
                not_(User.is_system_bot),
            )
        )
        unknown = wanted - {UserId(user_id) for (user_id,) in rows}
        if unknown:
            raise BadRequestError(f"{name}: Invalid user ID: {min(unknown)}")
