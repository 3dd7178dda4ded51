"""Custom profile fields of a realm and the values of users."""

from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, SmallInteger, String, Text

from chatapi.db.base import Base, BigId, TableColumn, table_column


class ProfileField(Base):
    """A field that administrators added to the profiles of all users."""

    __tablename__ = "profile_field"
    __table_args__ = (Index(None, "realm_id"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    field_type: TableColumn[int] = table_column(SmallInteger)
    position: TableColumn[int]
    name: TableColumn[str] = table_column(String(40))
    hint: TableColumn[str] = table_column(String(80))
    field_data: TableColumn[dict[str, Any]]
    display_in_profile_summary: TableColumn[bool]
    required: TableColumn[bool]
    editable_by_user: TableColumn[bool]
    use_for_user_matching: TableColumn[bool]


class ProfileValue(Base):
    """The value of one user for one field."""

    __tablename__ = "profile_value"

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    field_id: TableColumn[int] = table_column(
        BigId, ForeignKey("profile_field.id", ondelete="CASCADE"), primary_key=True
    )
    value: TableColumn[str] = table_column(Text)
    rendered_value: TableColumn[str | None] = table_column(Text)
