"""Bots: the texts that they store."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0020"
down_revision: str | None = "0018"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "bot_storage_entry",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["account.id"], name=op.f("fk_bot_storage_entry_user_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_bot_storage_entry")),
    )


def downgrade() -> None:
    op.drop_table("bot_storage_entry")
