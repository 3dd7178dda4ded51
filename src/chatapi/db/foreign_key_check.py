"""Checks the foreign keys of rows that are in no database yet, at any revision."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import Connection, create_engine, inspect

from chatapi.db.raw_loading import RefusedRowsError

_CREATE = """
    CREATE TABLE present (number INTEGER, key BLOB, PRIMARY KEY (number, key)) WITHOUT ROWID;
    CREATE TABLE referred (number INTEGER, key BLOB, PRIMARY KEY (number, key)) WITHOUT ROWID;
"""
_ADD_PRESENT = "INSERT OR IGNORE INTO present VALUES (?, ?)"
_ADD_REFERRED = "INSERT OR IGNORE INTO referred VALUES (?, ?)"
_FIND_BROKEN = """
    SELECT key FROM referred
    WHERE number = ? AND NOT EXISTS (
        SELECT 1 FROM present WHERE present.number = ? AND present.key = referred.key
    )
    LIMIT 1
"""


class _Key(Struct, frozen=True):
    """Columns of a table that refer to others, or that others refer to."""

    table: str
    columns: tuple[str, ...]


class _Schema(Struct, frozen=True):
    columns: Mapping[str, frozenset[str]]
    """The names of the columns of each table."""
    foreign_keys: Sequence[tuple[_Key, _Key]]
    """What refers, and what it refers to."""


class ForeignKeyCheck:
    """Collects the keys of rows, given in any order, and finds those that refer to nothing.

    The keys are in a temporary file: those of a large database do not fit into memory.
    """

    def __init__(self, schema: _Schema, scratch: sqlite3.Connection) -> None:
        self._schema = schema
        self._scratch = scratch
        self._scratch.executescript(_CREATE)
        self._numbers: dict[_Key, int] = {}
        self._of_table: defaultdict[str, list[tuple[_Key, str]]] = defaultdict(list)
        for referring, target in schema.foreign_keys:
            self._watch(referring, _ADD_REFERRED)
            self._watch(target, _ADD_PRESENT)

    def _watch(self, key: _Key, statement: str) -> None:
        self._numbers.setdefault(key, len(self._numbers))
        if (key, statement) not in self._of_table[key.table]:
            self._of_table[key.table].append((key, statement))

    def add(self, table: str, columns: Sequence[str], rows: Sequence[list[Any]]) -> None:
        """Add rows of a table; raises `RefusedRowsError` if it has other columns."""
        if self._schema.columns.get(table) != frozenset(columns):
            raise RefusedRowsError(f"the table {table} has other columns at this revision")
        for key, statement in self._of_table[table]:
            places = [columns.index(name) for name in key.columns]
            values = ([row[place] for place in places] for row in rows)
            # NULL refers to nothing, and most columns have the same values over and over.
            found = {orjson.dumps(value) for value in values if None not in value}
            number = self._numbers[key]
            self._scratch.executemany(statement, ((number, each) for each in sorted(found)))

    def list_broken(self) -> list[str]:
        """Return a sentence about each foreign key with rows that refer to nothing."""
        return [
            f"a row of {referring.table} refers by {' and '.join(referring.columns)} to a missing"
            f" row of {target.table}"
            for referring, target in self._schema.foreign_keys
            if self._is_broken(referring, target)
        ]

    def _is_broken(self, referring: _Key, target: _Key) -> bool:
        numbers = (self._numbers[referring], self._numbers[target])
        return self._scratch.execute(_FIND_BROKEN, numbers).fetchone() is not None


@contextmanager
def foreign_key_check(revision: str) -> Iterator[ForeignKeyCheck]:
    """Check rows of a revision, which must not be newer than this version."""
    schema = _schema_of(revision)
    # SQLite deletes a database without a name when it is closed.
    with closing(sqlite3.connect("", isolation_level=None)) as scratch:
        scratch.execute("PRAGMA journal_mode = OFF")
        yield ForeignKeyCheck(schema, scratch)


def _schema_of(revision: str) -> _Schema:
    # Alembic takes ten megabytes and a good part of the startup time of a command.
    from chatapi.db.migrations import upgrade  # noqa: PLC0415

    engine = create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            upgrade(connection, revision)
            return _read_schema(connection)
    finally:
        engine.dispose()


def _read_schema(connection: Connection) -> _Schema:
    inspector = inspect(connection)
    tables = sorted(inspector.get_table_names())
    columns = {
        table: frozenset(column["name"] for column in inspector.get_columns(table))
        for table in tables
    }
    foreign_keys = [
        (
            _Key(table, tuple(found["constrained_columns"])),
            _Key(found["referred_table"], tuple(found["referred_columns"])),
        )
        for table in tables
        for found in inspector.get_foreign_keys(table)
    ]
    return _Schema(columns, foreign_keys)
