"""Custom profile fields of a realm and the values of users."""

from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, SmallInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class ProfileField(Base):
    """A field that administrators added to the profiles of all users."""

    __tablename__ = "profile_field"
    __table_args__ = (Index(None, "realm_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    field_type: Mapped[int] = mapped_column(SmallInteger)
    position: Mapped[int]
    name: Mapped[str] = mapped_column(String(40))
    hint: Mapped[str] = mapped_column(String(80))
    field_data: Mapped[dict[str, Any]]
    display_in_profile_summary: Mapped[bool]
    required: Mapped[bool]
    editable_by_user: Mapped[bool]
    use_for_user_matching: Mapped[bool]


class ProfileValue(Base):
    """The value of one user for one field."""

    __tablename__ = "profile_value"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    field_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("profile_field.id", ondelete="CASCADE"), primary_key=True
    )
    value: Mapped[str] = mapped_column(Text)
    rendered_value: Mapped[str | None] = mapped_column(Text)
