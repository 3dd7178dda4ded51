"""Parameters of statements that PostgreSQL plans once, and not for each execution."""

from typing import Any

from sqlalchemy import BigInteger, BindParameter, ColumnElement, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class _Opaque(FunctionElement[Any]):
    inherit_cache = True


@compiles(_Opaque, "postgresql")
def _as_subquery(element: _Opaque, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return f"(SELECT {compiler.process(element.clauses, **options)})"


@compiles(_Opaque, "sqlite")
def _as_parameter(element: _Opaque, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    return compiler.process(element.clauses, **options)


def opaque(parameter: BindParameter[Any]) -> ColumnElement[Any]:
    """A parameter without whose value PostgreSQL plans.

    PostgreSQL plans a prepared statement again for each execution as long as plans for the values
    seem cheaper, although planning a large statement takes several times as long as they save. With
    opaque values they all seem alike, so it keeps one plan. Use it in statements that read few rows
    by an index, where that plan is right for all values.
    """
    return _Opaque(parameter)


def opaque_number(name: str) -> ColumnElement[int]:
    """A number that is passed as the parameter `name`, and is opaque."""
    return opaque(bindparam(name, type_=BigInteger))
