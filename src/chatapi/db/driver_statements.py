"""Statements in the form in which drivers run them, without SQLAlchemy."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec import Struct
from sqlalchemy import CompoundSelect, Dialect, Select
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import ReturningInsert

from chatapi.core.cooperative import map_in_steps
from chatapi.db.base import Convert

ReadStatement: TypeAlias = Select[*tuple[Any, ...]] | CompoundSelect[*tuple[Any, ...]]
WriteStatement: TypeAlias = ReturningInsert[*tuple[Any, ...]]

Converters: TypeAlias = tuple[tuple[int, Convert], ...]
"""By the places of the values that a driver does not store, or return, as they are."""

_MAX_STATEMENTS = 1_000
"""More than there are; a statement that is built for each request must not fill the memory."""


class DriverStatement(Struct, frozen=True):
    """A statement that returns rows, compiled, with the conversions of its values and columns."""

    sql: str
    names: tuple[str, ...]
    """The parameters in the order of the driver's arguments."""
    given: Mapping[str, Any]
    """Values that are part of the statement itself."""
    of_values: Converters
    of_columns: Converters

    def arguments(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the driver's arguments for the values of the parameters."""
        given = self.given
        arguments = [values[name] if name in values else given[name] for name in self.names]
        convert_places(arguments, self.of_values)
        return arguments

    async def convert(self, rows: Sequence[Any]) -> Sequence[Any]:
        """Convert the driver's rows: the values are those that SQLAlchemy would return."""
        return await map_in_steps(self._convert_row, rows) if self.of_columns else rows

    def _convert_row(self, row: Sequence[Any]) -> Sequence[Any]:
        values = [*row]
        convert_places(values, self.of_columns)
        return values


@lru_cache(_MAX_STATEMENTS)
def compile_for_driver(
    statement: ReadStatement | WriteStatement, dialect: Dialect
) -> DriverStatement:
    """Compile a statement once; it is recognized by the object, not by its text."""
    compiled = statement.compile(dialect=dialect)
    if compiled.post_compile_params or compiled.literal_execute_params:
        raise ValueError("the text of the statement depends on its values; use is_one_of")
    names, of_values = values_of(compiled, dialect)
    return DriverStatement(
        sql=str(compiled),
        names=names,
        given=compiled.params,
        of_values=of_values,
        of_columns=_only_needed(
            column.type.dialect_impl(dialect).result_processor(dialect, None)
            for column in statement.exported_columns
        ),
    )


def values_of(compiled: SQLCompiler, dialect: Dialect) -> tuple[tuple[str, ...], Converters]:
    """Return the names of a statement's parameters in order, and what converts their values."""
    names = tuple(compiled.positiontup or ())
    types = [compiled.binds[name].type for name in names]
    return names, _only_needed(each.dialect_impl(dialect).bind_processor(dialect) for each in types)


def convert_places(values: list[Any], converters: Converters) -> None:
    """Convert the values that need it, in place."""
    for place, convert in converters:
        values[place] = convert(values[place])


def _only_needed(converters: Iterable[Convert | None]) -> Converters:
    return tuple((place, each) for place, each in enumerate(converters) if each is not None)
