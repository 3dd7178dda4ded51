"""Rows as frozen structs, whose fields have the names of the table's columns."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from sqlalchemy import Result, Select, select

from chatapi.db.base import Base, TableColumn

RecordT = TypeVar("RecordT", bound=Struct)


class RecordReader(Generic[RecordT]):
    """Selects the columns of one record class and builds it from a row."""

    def __init__(self, record: type[RecordT], table: type[Base]) -> None:
        self._record = record
        names = record.__struct_fields__
        columns: list[TableColumn[Any]] = [getattr(table, name) for name in names]
        self._select = select(*columns)

    def select(self) -> Select[*tuple[Any, ...]]:
        return self._select

    def read(self, row: Sequence[Any]) -> RecordT:
        return self._record(*row)

    def read_all(self, rows: Result[*tuple[Any, ...]] | Sequence[Any]) -> list[RecordT]:
        """Build all records at once: fetching row by row costs more than building them."""
        fetched = rows.all() if isinstance(rows, Result) else rows
        return [self._record(*row) for row in fetched]
