"""Randomly drawn realms: users, nested groups, and the same in the database."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert

from chatapi.auth.context import Context
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.auth.users import UserRecord, user_records
from chatapi.core.ids import GroupId, UserId
from chatapi.core.roles import EmailVisibility, Role
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import GroupMember, GroupSubgroup, User, UserGroup
from chatapi.db.session import DatabaseSession
from tests import factories

GroupRef = int | SystemGroup
"""A drawn group: its index among the others, or a system group."""
_LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DrawnPerson:
    """A user with a role."""

    role: Role = Role.MEMBER
    is_full_member: bool = True
    is_active: bool = True


@dataclass(frozen=True)
class DrawnGroup:
    """Users by their index, and groups; as the value of a group setting it has no name."""

    members: frozenset[int] = frozenset()
    subgroups: frozenset[GroupRef] = frozenset()
    deactivated: bool = False


@dataclass(frozen=True)
class Drawing:
    """A drawn realm that is not yet in the database."""

    people: Sequence[DrawnPerson]
    groups: Sequence[DrawnGroup]
    values: Sequence[DrawnGroup] = ()


@dataclass(frozen=True)
class Organization:
    """A drawn realm in the database."""

    realm: RealmRecord
    user_ids: list[UserId] = field(default_factory=list)
    group_ids: list[GroupId] = field(default_factory=list)

    def id_of(self, group: GroupRef) -> GroupId:
        if isinstance(group, SystemGroup):
            return GroupId(self.realm.system_groups[group])
        return self.group_ids[group]


async def make_organization(runtime: Runtime, drawing: Drawing) -> Organization:
    realm = await factories.make_realm(runtime)
    async with DatabaseSession(runtime.database) as db:
        await db.write(realm.id)
        made = Organization(realm)
        made = replace(made, user_ids=await _add_people(db, realm, drawing.people))
        made = replace(made, group_ids=await _add_groups(db, realm, drawing.groups))
        await _add_parts(db, made, drawing.groups)
        await db.commit()
    return made


async def context_of(runtime: Runtime, made: Organization, user_id: UserId) -> Context:
    """The context of a request by one of the users; close its database session in the end."""
    work = runtime.begin()
    user = await read_user(work.db, user_id)
    return factories.context_of(runtime, work, made.realm, user)


async def read_user(db: DatabaseSession, user_id: UserId) -> UserRecord:
    return user_records.read(
        (await db.execute(user_records.select().where(User.id == user_id))).one()
    )


async def _add_people(
    db: DatabaseSession, realm: RealmRecord, people: Sequence[DrawnPerson]
) -> list[UserId]:
    rows = [_account(realm, number, person) for number, person in enumerate(people)]
    returned = await _insert(db, User, rows)
    return [UserId(user_id) for user_id in returned]


async def _add_groups(
    db: DatabaseSession, realm: RealmRecord, groups: Sequence[DrawnGroup]
) -> list[GroupId]:
    rows: list[dict[str, Any]] = [
        {
            "realm_id": realm.id,
            "name": f"group {number}",
            "name_key": f"group {number}",
            "description": "",
            "is_system_group": False,
            "deactivated": group.deactivated,
            "settings": {},
        }
        for number, group in enumerate(groups)
    ]
    returned = await _insert(db, UserGroup, rows)
    return [GroupId(group_id) for group_id in returned]


async def _add_parts(db: DatabaseSession, made: Organization, groups: Sequence[DrawnGroup]) -> None:
    numbered = list(zip(made.group_ids, groups, strict=True))
    members = [
        {"group_id": group_id, "user_id": made.user_ids[place]}
        for group_id, group in numbered
        for place in group.members
    ]
    subgroups = [
        {"group_id": group_id, "subgroup_id": made.id_of(subgroup)}
        for group_id, group in numbered
        for subgroup in group.subgroups
    ]
    if members:
        await db.execute(insert(GroupMember), members)
    if subgroups:
        await db.execute(insert(GroupSubgroup), subgroups)


async def _insert(
    db: DatabaseSession, table: type[User | UserGroup], rows: list[dict[str, Any]]
) -> list[int]:
    """The ids of the new rows, in the order of the rows."""
    if not rows:
        return []
    statement = insert(table).returning(table.id, sort_by_parameter_order=True)
    return [int(row[0]) for row in await db.execute(statement, rows)]


def _account(realm: RealmRecord, number: int, person: DrawnPerson) -> dict[str, Any]:
    email = f"drawn{number}@example.com"
    return {
        "realm_id": realm.id,
        "delivery_email": email,
        "email_key": email,
        "full_name": f"Drawn {number}",
        "role": person.role,
        "is_full_member": person.is_full_member,
        "is_active": person.is_active,
        "date_joined": _LONG_AGO,
        "timezone": "",
        "email_visibility": EmailVisibility.EVERYONE,
        "avatar_version": 1,
        "is_imported_stub": False,
        "settings": {},
    }
