"""Tables and columns get the names that the code uses for their records."""

from collections.abc import Sequence

from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES = {
    "given_answer": "stored_response",
    "read_floor": "global_read_position",
    "read_cursor": "conversation_read_position",
}
COLUMNS = (
    ("stored_response", "request", "request_digest"),
    ("stored_response", "answer", "response"),
    ("account", "earlier_standings", "past_roles"),
)
FOREIGN_KEYS = {
    "given_answer": ("user_id",),
    "read_floor": ("user_id",),
    "read_cursor": ("user_id", "conversation_id"),
}
INDEXES = {"given_answer": "created_at", "read_cursor": "conversation_id"}


def upgrade() -> None:
    for old, new in TABLES.items():
        _rename_table(old, new, key=old)
    for table, old, new in COLUMNS:
        op.alter_column(table, old, new_column_name=new)


def downgrade() -> None:
    for table, old, new in COLUMNS:
        op.alter_column(table, new, new_column_name=old)
    for old, new in TABLES.items():
        _rename_table(new, old, key=old)


def _rename_table(source: str, target: str, *, key: str) -> None:
    """Rename a table with its index; PostgreSQL also knows its constraints by their names."""
    op.rename_table(source, target)
    if key in INDEXES:
        column = INDEXES[key]
        op.drop_index(op.f(f"ix_{source}_{column}"), target)
        op.create_index(op.f(f"ix_{target}_{column}"), target, [column])
    if op.get_bind().dialect.name == "postgresql":
        for name in ("pk_{}", *(f"fk_{{}}_{column}" for column in FOREIGN_KEYS[key])):
            old, new = name.format(source), name.format(target)
            op.execute(f"ALTER TABLE {target} RENAME CONSTRAINT {old} TO {new}")
