"""Texts of deleted messages leave the event log: events are found by the message they quote."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INDEX = "ix_event_message_id"
IS_QUOTE = "message_id IS NOT NULL"
# Events of an older version: those of new messages, and those of changed texts.
NOTE_SENT = "UPDATE event SET message_id = {message_id} WHERE name = 'message'"
NOTE_CHANGED = (
    "UPDATE event SET message_id = {message_id}"
    " WHERE name = 'update_message' AND {rendered_content} IS NOT NULL"
)
KEYS = {
    "postgresql": {
        "sent": "(body::json->'facts'->>'id')::bigint",
        "changed": "(body::json->>'message_id')::bigint",
        "rendered_content": "body::json->>'rendered_content'",
    },
    "sqlite": {
        "sent": "json_extract(body, '$.facts.id')",
        "changed": "json_extract(body, '$.message_id')",
        "rendered_content": "json_extract(body, '$.rendered_content')",
    },
}


def upgrade() -> None:
    op.add_column("event", sa.Column("message_id", BIG_ID, nullable=True))
    keys = KEYS[op.get_context().dialect.name]
    op.execute(NOTE_SENT.format(message_id=keys["sent"]))
    op.execute(
        NOTE_CHANGED.format(message_id=keys["changed"], rendered_content=keys["rendered_content"])
    )
    op.create_index(
        INDEX,
        "event",
        ["message_id"],
        sqlite_where=sa.text(IS_QUOTE),
        postgresql_where=sa.text(IS_QUOTE),
    )


def downgrade() -> None:
    op.drop_index(INDEX, table_name="event")
    op.drop_column("event", "message_id")
