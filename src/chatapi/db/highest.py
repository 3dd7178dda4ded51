"""The largest of a few numbers in SQL; the databases have no common function for it."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, case, type_coerce

Number = ColumnElement[Any]


def highest(first: Number, *others: Number) -> ColumnElement[int]:
    """Return the largest of a few numbers.

    Use it for a bound of an index as well: of two lower bounds SQLite uses one, which may be the
    lower one, and reads all rows between them.
    """
    top: Number = first
    for other in others:
        top = case((top >= other, top), else_=other)
    return type_coerce(top, BigInteger)
