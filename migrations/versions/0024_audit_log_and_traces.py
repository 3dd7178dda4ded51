"""The audit log, empty: what was changed before is not known; traces of webhook calls."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0024"
down_revision: str | None = "0023"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_INDEXED = (
    ["created_at"],
    ["realm_id", "acting_user_id", "id"],
    ["realm_id", "id"],
    ["realm_id", "kind", "id"],
    ["realm_id", "user_id", "id"],
)


def upgrade() -> None:
    with op.batch_alter_table("outgoing_webhook_call") as table:
        table.add_column(sa.Column("traceparent", sa.String(55), nullable=True))
    op.create_table(
        "audit_log_entry",
        sa.Column(
            "id",
            BIG_ID,
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("realm_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("acting_user_id", BIG_ID, nullable=True),
        sa.Column("user_id", BIG_ID, nullable=True),
        sa.Column("channel_id", BIG_ID, nullable=True),
        sa.Column("group_id", BIG_ID, nullable=True),
        sa.Column("property", sa.String(length=100), nullable=True),
        sa.Column("old_value", sa.Text(), nullable=True),
        sa.Column("new_value", sa.Text(), nullable=True),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("client", sa.String(length=60), nullable=False),
        sa.ForeignKeyConstraint(
            ["acting_user_id"], ["account.id"], name=op.f("fk_audit_log_entry_acting_user_id")
        ),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channel.id"], name=op.f("fk_audit_log_entry_channel_id")
        ),
        sa.ForeignKeyConstraint(
            ["group_id"], ["user_group.id"], name=op.f("fk_audit_log_entry_group_id")
        ),
        sa.ForeignKeyConstraint(
            ["realm_id"], ["realm.id"], name=op.f("fk_audit_log_entry_realm_id")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["account.id"], name=op.f("fk_audit_log_entry_user_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log_entry")),
        sqlite_autoincrement=True,
    )
    for columns in _INDEXED:
        name = op.f(f"ix_audit_log_entry_{'_'.join(columns)}")
        op.create_index(name, "audit_log_entry", columns, unique=False)


def downgrade() -> None:
    op.drop_table("audit_log_entry")
    with op.batch_alter_table("outgoing_webhook_call") as table:
        table.drop_column("traceparent")
