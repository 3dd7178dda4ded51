"""Pictures of users and organizations, and thumbnails of uploaded images."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

REALM_PICTURES = ("icon_path", "logo_path", "night_logo_path")


def upgrade() -> None:
    op.add_column("account", sa.Column("avatar_path", sa.String(400), nullable=True))
    op.create_index(op.f("ix_account_avatar_path"), "account", ["avatar_path"])
    for column in REALM_PICTURES:
        op.add_column("realm", sa.Column(column, sa.String(400), nullable=True))


def downgrade() -> None:
    for column in REALM_PICTURES:
        op.drop_column("realm", column)
    op.drop_index(op.f("ix_account_avatar_path"), "account")
    op.drop_column("account", "avatar_path")
