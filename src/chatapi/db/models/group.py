"""User groups, their members and their subgroups."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint

from chatapi.db.base import Base, BigId, TableColumn, table_column


class UserGroup(Base):
    """A named set of users; system groups follow from roles and have no rows of members."""

    __tablename__ = "user_group"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    name: TableColumn[str] = table_column(String(100))
    name_key: TableColumn[str] = table_column(String(100))
    """The name in lower case: names must differ in more than case."""
    description: TableColumn[str] = table_column(String(1024))
    is_system_group: TableColumn[bool]
    creator_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    date_created: TableColumn[datetime | None]
    deactivated: TableColumn[bool]
    settings: TableColumn[dict[str, Any]]
    """Permissions of the group, by the name of the permission setting."""


class GroupMember(Base):
    """A user is a direct member of a group."""

    __tablename__ = "user_group_member"
    __table_args__ = (Index(None, "user_id"),)

    group_id: TableColumn[int] = table_column(BigId, ForeignKey("user_group.id"), primary_key=True)
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)


class GroupSubgroup(Base):
    """All members of the subgroup are members of the group."""

    __tablename__ = "user_group_subgroup"
    __table_args__ = (Index(None, "subgroup_id"),)

    group_id: TableColumn[int] = table_column(BigId, ForeignKey("user_group.id"), primary_key=True)
    subgroup_id: TableColumn[int] = table_column(
        BigId, ForeignKey("user_group.id"), primary_key=True
    )
