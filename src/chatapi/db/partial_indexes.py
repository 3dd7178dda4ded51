"""Indexes of some rows of a table, declared without loading the dialect of PostgreSQL."""

from sqlalchemy import Index, MetaData, TextClause, text

_WHERE = "postgresql_where"


def partial_index(name: str | None, *columns: str, sqlite: str, postgresql: str) -> Index:
    """Declare an index of the rows that fulfil a condition, written as each database has it.

    The condition for PostgreSQL is left for `add_postgresql_conditions`: SQLAlchemy loads a dialect
    to check an option of it, and a server on SQLite has no other use for that one.
    """
    return Index(name, *columns, sqlite_where=text(sqlite), info={_WHERE: text(postgresql)})


def add_postgresql_conditions(metadata: MetaData) -> None:
    """Complete the indexes of all tables, before they are created or compared with a database."""
    for table in metadata.tables.values():
        for index in table.indexes:
            condition: TextClause | None = index.info.get(_WHERE)
            if condition is not None:
                index.dialect_kwargs[_WHERE] = condition
