"""Insert or update: SQLAlchemy has it in a separate module for each database."""

from functools import cache

from sqlalchemy import Executable
from sqlalchemy.dialects import postgresql, sqlite

from chatapi.db.base import Base
from chatapi.db.session import DatabaseSession

_ROWS_PER_STATEMENT = 2_000


async def upsert(db: DatabaseSession, table: type[Base], rows: list[dict[str, object]]) -> None:
    """Write whole rows, replacing those that have the same primary key.

    Many rows are several statements: preparing one for all of them would block the event loop.
    """
    statement = _upsert(table, is_sqlite=db.database.is_sqlite)
    for start in range(0, len(rows), _ROWS_PER_STATEMENT):
        await db.execute(statement, rows[start : start + _ROWS_PER_STATEMENT])


@cache
def _upsert(table: type[Base], *, is_sqlite: bool) -> Executable:
    keys = [column.name for column in table.__table__.primary_key]
    names = [column.name for column in table.__table__.columns if column.name not in keys]
    statement = sqlite.insert(table) if is_sqlite else postgresql.insert(table)
    return statement.on_conflict_do_update(
        index_elements=keys, set_={name: statement.excluded[name] for name in names}
    )
