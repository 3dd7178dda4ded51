"""The largest of a few numbers in SQL, which each database has another function for."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

Number = ColumnElement[Any]


class _Highest(FunctionElement[int]):
    type = BigInteger()
    inherit_cache = True


@compiles(_Highest, "postgresql")
def _as_greatest(element: _Highest, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return f"greatest({compiler.process(element.clauses, **options)})"


@compiles(_Highest, "sqlite")
def _as_max(element: _Highest, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return f"max({compiler.process(element.clauses, **options)})"


def highest(first: Number, second: Number, *others: Number) -> ColumnElement[int]:
    """Return the largest of a few numbers, none of which is NULL.

    Use it for a bound of an index as well: of two lower bounds SQLite uses one, which may be the
    lower one, and reads all rows between them.
    """
    return _Highest(first, second, *others)
