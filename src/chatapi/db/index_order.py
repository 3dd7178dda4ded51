"""The orders of rows in indexes, for reading from a given key on."""

from typing import Any, ClassVar

from msgspec import Struct
from sqlalchemy import BigInteger, Column, ColumnElement, and_, bindparam, literal, true
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from typing_extensions import override

from chatapi.db.conditions import Condition
from chatapi.db.highest import highest


class IndexOrder(Struct, frozen=True):
    """All rows by their key."""

    key: ColumnElement[int]

    @property
    def holds(self) -> ColumnElement[bool]:
        """Whether a row is in the range, for statements that do not depend on the order."""
        return true()

    @property
    def ascending(self) -> tuple[ColumnElement[Any], ...]:
        return (self.key.asc(),)

    @property
    def descending(self) -> tuple[ColumnElement[Any], ...]:
        return (self.key.desc(),)

    def up_to(self, bound: ColumnElement[int]) -> ColumnElement[bool]:
        return self.key <= bound

    def since(self, bound: ColumnElement[int]) -> ColumnElement[bool]:
        return self.key >= bound


class IndexTail(IndexOrder, frozen=True):
    """The rows above a key."""

    above: int

    @property
    @override
    def holds(self) -> ColumnElement[bool]:
        return self.key > self.above

    @override
    def up_to(self, bound: ColumnElement[int]) -> ColumnElement[bool]:
        return and_(super().up_to(bound), self.holds)

    @override
    def since(self, bound: ColumnElement[int]) -> ColumnElement[bool]:
        return super().since(highest(bound, literal(self.above + 1, BigInteger)))


class IndexRange(IndexOrder, frozen=True):
    """The rows that have one value in the column which precedes the key in an index.

    If the condition is that the column equals the value, PostgreSQL considers every index on the
    key to be in the right order. Where the value is frequent it scans such an index, through all
    newer rows that have another value. Only one index has the order of (column, key) pairs, so
    pairs are compared there. SQLite uses the right index for equal values, but with pairs it would
    read all rows that have the value.
    """

    column: ColumnElement[Any]
    value: int | ColumnElement[int]
    """A parameter in statements that are built once."""

    @property
    @override
    def holds(self) -> ColumnElement[bool]:
        return self.column == self.value

    @property
    def holds_or_not(self) -> ColumnElement[bool]:
        """The same, but false instead of NULL where the column has no value."""
        is_nullable = isinstance(self.column, Column) and self.column.nullable
        return and_(self.column.is_not(None), self.holds) if is_nullable else self.holds

    @property
    @override
    def ascending(self) -> tuple[ColumnElement[Any], ...]:
        return self.column.asc(), *super().ascending

    @property
    @override
    def descending(self) -> tuple[ColumnElement[Any], ...]:
        return self.column.desc(), *super().descending

    @override
    def up_to(self, bound: ColumnElement[int]) -> ColumnElement[bool]:
        return _UpTo(self.column, self.key, self._value, bound)

    @override
    def since(self, bound: ColumnElement[int]) -> ColumnElement[bool]:
        return _Since(self.column, self.key, self._value, bound)

    @property
    def _value(self) -> ColumnElement[int]:
        if isinstance(self.value, ColumnElement):
            return self.value
        return bindparam(None, self.value, type_=BigInteger, unique=True)


class _Side(Condition):
    """The rows of a range on one side of a bound, which is included."""

    inherit_cache = True
    towards: ClassVar[str]
    """The operator that compares a key on this side with the bound."""
    back: ClassVar[str]


class _UpTo(_Side):
    inherit_cache = True
    towards, back = "<=", ">="


class _Since(_Side):
    inherit_cache = True
    towards, back = ">=", "<="


@compiles(_Side, "postgresql")
def _as_pairs(element: _Side, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    column, key, value, bound = (compiler.process(each, **options) for each in element.clauses)
    # The column is not bounded a second time on the same side: the scan would start there.
    on_side = f"({column}, {key}) {element.towards} ({value}, {bound})"
    return f"({on_side} AND {column} {element.back} {value})"


@compiles(_Side, "sqlite")
def _as_equals(element: _Side, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 (SQLAlchemy's)
    column, key, value, bound = (compiler.process(each, **options) for each in element.clauses)
    return f"({column} = {value} AND {key} {element.towards} {bound})"
