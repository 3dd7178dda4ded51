"""Scheduled messages and reminders."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "scheduled_message",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("realm_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "channel_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("topic", sa.String(length=60), nullable=False),
        sa.Column(
            "people",
            sa.JSON(none_as_null=True).with_variant(
                postgresql.JSONB(none_as_null=True), "postgresql"
            ),
            nullable=False,
        ),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("rendered_content", sa.Text(), nullable=False),
        sa.Column("deliver_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("client_name", sa.String(length=60), nullable=False),
        sa.Column("read_by_sender", sa.Boolean(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column(
            "about_message_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channel.id"], name=op.f("fk_scheduled_message_channel_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["account.id"], name=op.f("fk_scheduled_message_owner_id")
        ),
        sa.ForeignKeyConstraint(
            ["realm_id"], ["realm.id"], name=op.f("fk_scheduled_message_realm_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scheduled_message")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_scheduled_message_owner_id_deliver_at"),
        "scheduled_message",
        ["owner_id", "deliver_at"],
    )
    op.create_index(
        "ix_scheduled_message_deliver_at_pending",
        "scheduled_message",
        ["deliver_at", "id"],
        sqlite_where=sa.text("failure IS NULL"),
        postgresql_where=sa.text("failure IS NULL"),
    )


def downgrade() -> None:
    op.drop_table("scheduled_message")
