"""What users and messages were when an event happened: earlier roles, and conversations left."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0017"
down_revision: str | None = "0014"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON_OBJECT = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True), "postgresql"
)
LEFT = ("prev_conversation_id", "prev_channel_id")


def upgrade() -> None:
    op.add_column("account", sa.Column("earlier_standings", JSON_OBJECT, nullable=True))
    op.add_column("message_edit", sa.Column("prev_conversation_id", BIG_ID, nullable=True))
    for place in LEFT:
        is_left = sa.text(f"{place} IS NOT NULL")
        op.create_index(
            op.f(f"ix_message_edit_{place}_id"),
            "message_edit",
            [place, "id"],
            sqlite_where=is_left,
            postgresql_where=is_left,
        )


def downgrade() -> None:
    for place in LEFT:
        op.drop_index(op.f(f"ix_message_edit_{place}_id"), "message_edit")
    op.drop_column("message_edit", "prev_conversation_id")
    op.drop_column("account", "earlier_standings")
