"""Texts that bots store, services of bots and calls of them, and widgets of messages."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0020"
down_revision: str | None = "0019"
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
    op.create_table(
        "bot_service",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("base_url", sa.String(length=2000), nullable=False),
        sa.Column("interface", sa.SmallInteger(), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["account.id"], name=op.f("fk_bot_service_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_bot_service")),
    )
    op.create_table(
        "outgoing_webhook_call",
        sa.Column("id", BIG_ID, sa.Identity(), nullable=False),
        sa.Column("realm_id", BIG_ID, nullable=False),
        sa.Column("bot_id", BIG_ID, nullable=False),
        sa.Column("message_id", BIG_ID, nullable=False),
        sa.Column("trigger", sa.String(length=20), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["bot_id"], ["account.id"], name=op.f("fk_outgoing_webhook_call_bot_id")
        ),
        sa.ForeignKeyConstraint(
            ["realm_id"], ["realm.id"], name=op.f("fk_outgoing_webhook_call_realm_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outgoing_webhook_call")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_outgoing_webhook_call_due_at_id"), "outgoing_webhook_call", ["due_at", "id"]
    )
    op.add_column(
        "message", sa.Column("has_widget", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_table(
        "submessage",
        sa.Column("id", BIG_ID, sa.Identity(), nullable=False),
        sa.Column("message_id", BIG_ID, nullable=False),
        sa.Column("sender_id", BIG_ID, nullable=False),
        sa.Column("msg_type", sa.String(length=20), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["message_id"], ["message.id"], name=op.f("fk_submessage_message_id")
        ),
        sa.ForeignKeyConstraint(
            ["sender_id"], ["account.id"], name=op.f("fk_submessage_sender_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submessage")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_submessage_message_id_id"), "submessage", ["message_id", "id"])


def downgrade() -> None:
    op.drop_table("submessage")
    op.drop_column("message", "has_widget")
    op.drop_table("outgoing_webhook_call")
    op.drop_table("bot_service")
    op.drop_table("bot_storage_entry")
