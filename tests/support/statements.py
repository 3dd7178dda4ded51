"""The SQL statements a request causes: what takes the same statements takes the same time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from chatapi.db.database import Database

_OF_JOBS = "min(scheduled_message.deliver_at)"


@contextmanager
def recorded_statements(database: Database, table: str) -> Iterator[list[str]]:
    """The statements that name a table, but for the one that looks for what is due.

    That is asked all the time, as the clocks are.
    """
    statements: list[str] = []

    def record(_connection: object, _cursor: object, statement: str, *_rest: Any) -> None:
        if table in statement and _OF_JOBS not in statement:
            statements.append(statement)

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", record)
