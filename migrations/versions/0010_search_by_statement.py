"""Search on PostgreSQL: many new or deleted messages enter or leave the index in one step."""

from collections.abc import Sequence

from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

SEARCHED = (("message", "content"), ("conversation", "topic"))

# A trigger that sees all rows of a statement is for one event, and knows no columns: a changed text
# is one row, and stays with the trigger it had.
BY_STATEMENT = (
    "DROP TRIGGER {table}_search_insert ON {table}",
    "DROP TRIGGER {table}_search_delete ON {table}",
    """
    CREATE FUNCTION {table}_search_add() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO {table}_search
        SELECT id, to_tsvector('chatapi_words', chatapi_search_text({column})) FROM added;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE FUNCTION {table}_search_remove() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM {table}_search WHERE id IN (SELECT id FROM removed);
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE TRIGGER {table}_search_insert AFTER INSERT ON {table}
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION {table}_search_add()
    """,
    """
    CREATE TRIGGER {table}_search_update AFTER UPDATE OF {column} ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_search_index()
    """,
    """
    CREATE TRIGGER {table}_search_delete AFTER DELETE ON {table}
    REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION {table}_search_remove()
    """,
)
BY_ROW = (
    "DROP TRIGGER {table}_search_insert ON {table}",
    "DROP TRIGGER {table}_search_update ON {table}",
    "DROP TRIGGER {table}_search_delete ON {table}",
    "DROP FUNCTION {table}_search_add()",
    "DROP FUNCTION {table}_search_remove()",
    """
    CREATE TRIGGER {table}_search_insert AFTER INSERT OR UPDATE OF {column} ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_search_index()
    """,
    """
    CREATE TRIGGER {table}_search_delete AFTER DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_search_forget()
    """,
)


def upgrade() -> None:
    _run(BY_STATEMENT)


def downgrade() -> None:
    _run(BY_ROW)


def _run(statements: Sequence[str]) -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, column in SEARCHED:
        for statement in statements:
            op.execute(statement.format(table=table, column=column))
