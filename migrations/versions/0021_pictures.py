"""Pictures of users and organizations, and thumbnails of uploaded images."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REALM_PICTURES = ("icon_path", "logo_path", "night_logo_path")


def upgrade() -> None:
    op.add_column("account", sa.Column("avatar_path", sa.String(400), nullable=True))
    op.create_index(op.f("ix_account_avatar_path"), "account", ["avatar_path"])
    for column in REALM_PICTURES:
        op.add_column("realm", sa.Column(column, sa.String(400), nullable=True))
    op.create_table(
        "attachment_image",
        sa.Column("attachment_id", BIG_ID, nullable=False),
        sa.Column("content_type", sa.String(100), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("is_animated", sa.Boolean(), nullable=False),
        sa.Column("is_drawn", sa.Boolean(), nullable=True),
        sa.Column("is_pending", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["attachment_id"],
            ["attachment.id"],
            name=op.f("fk_attachment_image_attachment_id"),
        ),
        sa.PrimaryKeyConstraint("attachment_id", name=op.f("pk_attachment_image")),
    )
    op.create_index(
        op.f("ix_attachment_image_is_pending_next_attempt_at"),
        "attachment_image",
        ["is_pending", "next_attempt_at"],
    )


def downgrade() -> None:
    op.drop_table("attachment_image")
    for column in REALM_PICTURES:
        op.drop_column("realm", column)
    op.drop_index(op.f("ix_account_avatar_path"), "account")
    op.drop_column("account", "avatar_path")
