"""Insert or change, whichever it takes: each database spells it in a module of its own."""

from functools import cache

from sqlalchemy import Executable, inspect
from sqlalchemy.dialects import postgresql, sqlite

from chatapi.db.base import Base
from chatapi.db.session import DatabaseSession


async def upsert(db: DatabaseSession, table: type[Base], rows: list[dict[str, object]]) -> None:
    """Write whole rows, replacing those that have the same primary key."""
    if rows:
        await db.execute(_upsert(table, is_sqlite=db.database.is_sqlite), rows)


@cache
def _upsert(table: type[Base], *, is_sqlite: bool) -> Executable:
    keys = [column.name for column in inspect(table).primary_key]
    names = [column.name for column in inspect(table).columns if column.name not in keys]
    statement = sqlite.insert(table) if is_sqlite else postgresql.insert(table)
    return statement.on_conflict_do_update(
        index_elements=keys, set_={name: statement.excluded[name] for name in names}
    )
