"""Moves of many messages, which are continued after the request."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0027"
down_revision: str | None = "0026"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON_OBJECT = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True), "postgresql"
)
REFERENCES = (
    ("realm_id", "realm"),
    ("mover_id", "account"),
    ("source_channel_id", "channel"),
    ("conversation_id", "conversation"),
    ("target_channel_id", "channel"),
)


def upgrade() -> None:
    op.create_table(
        "pending_move",
        sa.Column("id", BIG_ID, sa.Identity(), nullable=False),
        sa.Column("realm_id", BIG_ID, nullable=False),
        sa.Column("mover_id", BIG_ID, nullable=False),
        sa.Column("propagate_mode", sa.String(length=20), nullable=False),
        sa.Column("source_channel_id", BIG_ID, nullable=False),
        sa.Column("conversation_id", BIG_ID, nullable=False),
        sa.Column("since", BIG_ID, nullable=True),
        sa.Column("up_to", BIG_ID, nullable=False),
        sa.Column("subscription_periods", JSON_OBJECT, nullable=True),
        sa.Column("target_channel_id", BIG_ID, nullable=False),
        sa.Column("topic", sa.String(length=60), nullable=False),
        sa.Column("topic_key", sa.String(length=120), nullable=False),
        sa.Column("adds_exceptions", sa.Boolean(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_pending_move_{column}")
            )
            for column, table in REFERENCES
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pending_move")),
        sqlite_autoincrement=True,
    )
    for column in ("conversation_id", "due_at"):
        op.create_index(op.f(f"ix_pending_move_{column}"), "pending_move", [column])


def downgrade() -> None:
    op.drop_table("pending_move")
