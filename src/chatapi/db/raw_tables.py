"""Tables as they are in the database, whatever its revision; models describe the newest only."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from msgspec import Struct
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Row,
    Select,
    Table,
    inspect,
    literal,
    select,
    text,
    tuple_,
)
from sqlalchemy.ext.asyncio.engine import AsyncConnection

from chatapi.db.database import Database
from chatapi.db.migrate import current_revision
from chatapi.db.search import is_of_models

RawRow: TypeAlias = Row[*tuple[Any, ...]]
RawTables: TypeAlias = Mapping[str, Table]

_PAGE = 500
_VERSION_TABLE = "alembic_version"
_SQLITE_SEQUENCES = text("SELECT name, seq FROM sqlite_sequence")
# NULL: no number was ever taken.
_POSTGRES_SEQUENCES = text("""
    SELECT owner.relname, pg_sequence_last_value(sequence.oid)
    FROM pg_class AS sequence
    JOIN pg_depend AS link ON link.objid = sequence.oid AND link.deptype IN ('a', 'i')
    JOIN pg_class AS owner ON owner.oid = link.refobjid
    WHERE sequence.relkind = 'S' AND owner.relnamespace = current_schema()::regnamespace
""")


def inspect_tables(connection: Connection) -> RawTables:
    """Read the columns and primary keys of all tables, sorted by name.

    Search indexes are left out: triggers fill them.
    """
    inspector = inspect(connection)
    metadata = MetaData()
    names = [
        name
        for name in sorted(inspector.get_table_names())
        if name != _VERSION_TABLE and is_of_models(name, "table")
    ]
    for name in names:
        keys = inspector.get_pk_constraint(name)["constrained_columns"]
        columns = {column["name"]: column["type"] for column in inspector.get_columns(name)}
        Table(
            name,
            metadata,
            *(Column(key, kind, primary_key=key in keys) for key, kind in columns.items()),
        )
    return {name: metadata.tables[name] for name in names}


class RawSnapshot(Struct, frozen=True):
    """All tables in one transaction that only reads."""

    connection: AsyncConnection
    tables: RawTables
    revision: str | None
    """None for a database without tables."""

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns, in the order of the values of `list_rows`."""
        return [column.name for column in _columns_of(self.tables[table])]

    async def list_rows(self, table: str) -> AsyncIterator[Sequence[RawRow]]:
        """Yield all rows of a table, page by page."""
        found = self.tables[table]
        async for page in self._pages(select(*_columns_of(found)), list(found.primary_key)):
            yield page

    async def list_values(self, table: str, column: str) -> AsyncIterator[list[Any]]:
        """Yield the values of a column that are not NULL; nothing if there is no such column."""
        if table not in self.tables or column not in self.tables[table].columns:
            return
        found = self.tables[table]
        keys = list(found.primary_key)
        wanted = found.columns[column]
        statement = select(*keys, wanted).where(wanted.is_not(None))
        async for page in self._pages(statement, keys):
            yield [row[-1] for row in page]

    async def list_drawn_images(self) -> AsyncIterator[list[tuple[str, bool]]]:
        """Yield the path of each uploaded image with thumbnails, and whether one is animated."""
        if "attachment_image" not in self.tables:
            return
        image, file = self.tables["attachment_image"], self.tables["attachment"]
        key = image.columns["attachment_id"]
        statement = (
            select(key, file.columns["path_id"], image.columns["is_animated"])
            .join(file, file.columns["id"] == key)
            .where(image.columns["is_drawn"].is_(True))
        )
        async for page in self._pages(statement, [key]):
            yield [(path, is_animated) for _, path, is_animated in page]

    async def find_sequences(self) -> dict[str, int]:
        """Return the highest id that each table has ever assigned, to deleted rows as well."""
        is_sqlite = self.connection.dialect.name == "sqlite"
        statement = _SQLITE_SEQUENCES if is_sqlite else _POSTGRES_SEQUENCES
        rows = await self.connection.execute(statement)
        return {
            name: highest for name, highest in rows if highest is not None and name in self.tables
        }

    async def _pages(
        self, statement: Select[*tuple[Any, ...]], keys: Sequence[Column[Any]]
    ) -> AsyncIterator[Sequence[RawRow]]:
        """Run a statement page by page, in the order of a unique key that its columns begin with.

        Neither driver reads a large result in pieces without keeping all of it, and the index of
        the key makes each page cheap.
        """
        ordered = statement.order_by(*keys).limit(_PAGE)
        rows = (await self.connection.execute(ordered)).all()
        while rows:
            yield rows
            if len(rows) < _PAGE:
                return
            rows = (await self.connection.execute(ordered.where(is_after(keys, rows[-1])))).all()


def is_after(keys: Sequence[Column[Any]], row: RawRow) -> ColumnElement[bool]:
    """Whether a row comes after another one, in the order of the columns that this begins with."""
    values = [literal(value, key.type) for key, value in zip(keys, row, strict=False)]
    # Compared as rows: both databases use the index of the key for it.
    return tuple_(*keys) > tuple_(*values) if len(keys) > 1 else keys[0] > values[0]


def _columns_of(table: Table) -> list[Column[Any]]:
    """The columns of a table, those of its primary key first."""
    others = (column for column in table.columns if not column.primary_key)
    return [*table.primary_key, *others]


@asynccontextmanager
async def raw_snapshot(database: Database) -> AsyncGenerator[RawSnapshot, None]:
    """Read one state of the whole database, however long it takes, while others write.

    As long as it lasts, neither database reclaims space of rows that were changed since.
    """
    async with (
        database.unlimited_engine("chatapi backup") as engine,
        database.with_snapshots(engine).begin() as connection,
    ):
        revision = await connection.run_sync(current_revision)
        tables = await connection.run_sync(inspect_tables)
        yield RawSnapshot(connection, tables, revision)
