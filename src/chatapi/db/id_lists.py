"""Lists of ids as one value: as a parameter, and as a column of a result."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import orjson
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Dialect,
    String,
    TableValuedAlias,
    bindparam,
    cast,
    column,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine
from typing_extensions import override

from chatapi.db.base import TableColumn
from chatapi.db.conditions import Condition
from chatapi.db.opaque_values import opaque

_OPTIONS = orjson.OPT_NON_STR_KEYS


class _Ids(TypeDecorator[Sequence[int]]):
    """An array for PostgreSQL, JSON for SQLite."""

    impl = String
    cache_ok = True

    @override
    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        is_postgres = dialect.name == "postgresql"
        return dialect.type_descriptor(ARRAY(BigInteger()) if is_postgres else String())

    @override
    def process_bind_param(
        self, value: Sequence[int] | None, dialect: Dialect
    ) -> Sequence[int] | str | None:
        if value is None or dialect.name == "postgresql":
            return value
        return orjson.dumps(value).decode()


class _OneOf(Condition):
    """A column, and the list that its value has to be in."""

    inherit_cache = True


@compiles(_OneOf, "postgresql")
def _in_array(element: _OneOf, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    column, ids = (compiler.process(each, **options) for each in element.clauses)
    return f"({column} = ANY ({ids}::BIGINT[]))"


@compiles(_OneOf, "sqlite")
def _in_json(element: _OneOf, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    column, ids = (compiler.process(each, **options) for each in element.clauses)
    return f"({column} IN (SELECT value FROM json_each({ids})))"  # noqa: S608 (made of columns)


def is_one_of(column: TableColumn[Any], name: str) -> ColumnElement[bool]:
    """Whether a column's value is in the list that is passed as the parameter `name`.

    `IN` has a parameter for each id: every length is a separate statement, to be compiled,
    prepared and planned. One plan is kept for all lists.
    """
    return _OneOf(column, opaque(bindparam(name, type_=_Ids())))


class _EachPair(FunctionElement[str]):
    """The members of a JSON object as rows."""

    inherit_cache = True


@compiles(_EachPair, "postgresql")
def _json_each_text(element: _EachPair, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return f"json_each_text(CAST({compiler.process(element.clauses, **options)} AS JSON))"


@compiles(_EachPair, "sqlite")
def _json_each(element: _EachPair, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return f"json_each({compiler.process(element.clauses, **options)})"


class _NumbersById(TypeDecorator[Mapping[Any, int]]):
    """Numbers by id, as JSON."""

    impl = String
    cache_ok = True

    @override
    def process_bind_param(self, value: Mapping[Any, int] | None, dialect: Dialect) -> str | None:
        return None if value is None else orjson.dumps(value, option=_OPTIONS).decode()


class NumbersById(NamedTuple):
    """A mapping from ids to numbers, which a statement gets as a parameter, as rows."""

    rows: TableValuedAlias
    id: ColumnElement[int]
    number: ColumnElement[int]

    @classmethod
    def parameter(cls, name: str) -> Self:
        """The mapping that is passed as the parameter `name`."""
        rows = _EachPair(bindparam(name, type_=_NumbersById())).table_valued(
            column("key", String), column("value", String), name=name
        )
        return cls(rows, cast(rows.c.key, BigInteger), cast(rows.c.value, BigInteger))


class _JoinedIds(FunctionElement[str]):
    """Aggregates the ids of a group of rows."""

    type = String()
    inherit_cache = True


@compiles(_JoinedIds, "postgresql")
def _string_agg(element: _JoinedIds, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return f"string_agg(CAST({compiler.process(element.clauses, **options)} AS VARCHAR), ',')"


@compiles(_JoinedIds, "sqlite")
def _group_concat(element: _JoinedIds, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return f"group_concat({compiler.process(element.clauses, **options)}, ',')"


def joined_ids(ids: ColumnElement[int]) -> ColumnElement[str]:
    """Aggregate ids to one text, which `split_ids` reads; None if there are none.

    Thousands of rows would take ten times as long to fetch.
    """
    return _JoinedIds(ids)


def split_ids(ids: str | None) -> list[Any]:
    """Return the ids of a text, in any order."""
    numbers: list[Any] = [] if ids is None else orjson.loads(f"[{ids}]")
    return numbers
