"""Edits: what messages were before, and where they came from."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
COLUMNS = (
    ("conversation", "renamed_up_to", BIG_ID),
    ("message", "last_edited_at", MOMENT),
    ("message", "last_moved_at", MOMENT),
    ("message", "arrival", BIG_ID),
)
REFERENCES = {
    "message_id": "message.id",
    "conversation_id": "conversation.id",
    "editor_id": "account.id",
    "prev_channel_id": "channel.id",
}


def upgrade() -> None:
    op.create_table(
        "message_edit",
        sa.Column("id", BIG_ID, sa.Identity(always=False), nullable=False),
        sa.Column("message_id", BIG_ID, nullable=True),
        sa.Column("conversation_id", BIG_ID, nullable=True),
        sa.Column("up_to", BIG_ID, nullable=True),
        sa.Column("editor_id", BIG_ID, nullable=True),
        sa.Column("edited_at", MOMENT, nullable=False),
        sa.Column("prev_content", sa.Text(), nullable=True),
        sa.Column("prev_rendered_content", sa.Text(), nullable=True),
        sa.Column("prev_topic", sa.String(length=60), nullable=True),
        sa.Column("prev_channel_id", BIG_ID, nullable=True),
        *(
            sa.ForeignKeyConstraint([column], [target], name=op.f(f"fk_message_edit_{column}"))
            for column, target in REFERENCES.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_message_edit")),
        sqlite_autoincrement=True,
    )
    for column in ("message_id", "conversation_id"):
        op.create_index(op.f(f"ix_message_edit_{column}"), "message_edit", [column])
    # Not in a batch: that would make the tables anew, without what keeps the words.
    for table, column, kind in COLUMNS:
        op.add_column(table, sa.Column(column, kind, nullable=True))


def downgrade() -> None:
    for table, column, _ in reversed(COLUMNS):
        op.drop_column(table, column)
    op.drop_table("message_edit")
