"""The SQL statements a request causes: what takes the same statements takes the same time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from chatapi.db.database import Database


@contextmanager
def recorded_statements(database: Database, table: str) -> Iterator[list[str]]:
    """The statements that name a table; the clocks are looked at all the time."""
    statements: list[str] = []

    def record(_connection: object, _cursor: object, statement: str, *_rest: Any) -> None:
        if table in statement:
            statements.append(statement)

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", record)
