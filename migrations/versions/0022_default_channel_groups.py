"""Groups of channels that new users can choose to join."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0022"
down_revision: str | None = "0021"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "default_channel_group",
        sa.Column("id", BIG_ID, sa.Identity(always=False), nullable=False),
        sa.Column("realm_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("name_key", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=1024), nullable=False),
        sa.ForeignKeyConstraint(
            ["realm_id"], ["realm.id"], name=op.f("fk_default_channel_group_realm_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_default_channel_group")),
        sa.UniqueConstraint(
            "realm_id", "name_key", name=op.f("uq_default_channel_group_realm_id_name_key")
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "default_channel_group_entry",
        sa.Column("group_id", BIG_ID, nullable=False),
        sa.Column("channel_id", BIG_ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channel.id"], name=op.f("fk_default_channel_group_entry_channel_id")
        ),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["default_channel_group.id"],
            name=op.f("fk_default_channel_group_entry_group_id"),
        ),
        sa.PrimaryKeyConstraint(
            "group_id", "channel_id", name=op.f("pk_default_channel_group_entry")
        ),
    )
    op.create_index(
        op.f("ix_default_channel_group_entry_channel_id"),
        "default_channel_group_entry",
        ["channel_id"],
        unique=False,
    )


def downgrade() -> None:
    op.drop_table("default_channel_group_entry")
    op.drop_table("default_channel_group")
