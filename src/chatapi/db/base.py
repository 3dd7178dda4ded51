"""The declarative base every table derives from, and the column types both dialects share."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import IntEnum
from types import MappingProxyType, NoneType
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar, cast, get_args

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnClause,
    DateTime,
    Dialect,
    FromClause,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine
from typing_extensions import override

Convert: TypeAlias = Callable[[Any], Any]
"""Converts a value for a driver, or one of a driver."""

EnumT = TypeVar("EnumT", bound=IntEnum)

# SQLite only numbers rows by itself when the key is an INTEGER, which has 64 bits there anyway.
BigId = BigInteger().with_variant(Integer(), "sqlite")
JsonObject = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


class UtcDateTime(TypeDecorator[datetime]):
    """Timezone-aware UTC datetimes on both databases; SQLite would drop the timezone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    @override
    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    @override
    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment

    @override
    def result_processor(self, dialect: Dialect, coltype: object) -> Convert | None:
        # PostgreSQL's driver returns them so: no call for each value of each row is needed.
        is_sqlite = dialect.name == "sqlite"
        return super().result_processor(dialect, coltype) if is_sqlite else None


class JsonText(TypeDecorator[Any]):
    """Any JSON value, stored as text; SQLite would make a number of a JSON column's `"7"`."""

    impl = Text
    cache_ok = True

    @override
    def process_bind_param(self, value: Any | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value)

    @override
    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any | None:
        return None if value is None else json.loads(value)


class EnumColumn(TypeDecorator[EnumT]):
    """An IntEnum stored as its number."""

    impl = SmallInteger
    cache_ok = True

    def __init__(self, enum: type[EnumT]) -> None:
        super().__init__()
        self.enum = enum

    @override
    def process_bind_param(self, value: EnumT | None, dialect: Dialect) -> int | None:
        return None if value is None else int(value)

    @override
    def process_result_value(self, value: Any | None, dialect: Dialect) -> EnumT | None:
        return None if value is None else self.enum(value)


_TYPES: dict[object, type[TypeEngine[Any]] | TypeEngine[Any]] = {
    bool: Boolean,
    int: Integer,
    datetime: UtcDateTime,
    dict[str, Any]: JsonObject,
}
"""The types of columns that are declared by their annotation alone."""


TableColumn: TypeAlias = ColumnClause
"""A column as attribute of a table class. `Column` itself would not do as its type: it is declared
to be an attribute of SQLAlchemy's own classes of columns."""


class _Declared(NamedTuple):
    """What the body of a table class says of a column."""

    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})


def table_column(*arguments: object, **options: object) -> TableColumn[Any]:
    """Declare a column in the body of a table class; the arguments are those of `Column`.

    Its name is that of the attribute, and the annotation says whether it may be null.
    """
    return cast("TableColumn[Any]", _Declared(arguments, options))


class _TableClass(type):
    """Lets a table class stand for its table in statements."""

    __table__: FromClause

    def __clause_element__(cls) -> FromClause:
        return cls.__table__


class Base(metaclass=_TableClass):
    """A table: a class whose annotated attributes are the columns.

    There are no instances, and no mapping of rows to objects: SQLAlchemy's ORM would take a tenth
    of the time and of the memory of a start. Names every constraint by one rule, so that
    migrations can refer to it.
    """

    metadata: ClassVar = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    __table__: ClassVar[Table]
    __tablename__: ClassVar[str]
    __table_args__: ClassVar[tuple[SchemaItem | dict[str, Any], ...]] = ()
    """Constraints and indexes, and at the end, if needed, the options of `Table`."""

    @override
    def __init_subclass__(cls) -> None:
        columns = [
            _build_column(name, annotation, cls.__dict__.get(name, _Declared()))
            for name, annotation in cls.__annotations__.items()
        ]
        items = [item for item in cls.__table_args__ if isinstance(item, SchemaItem)]
        options = [item for item in cls.__table_args__ if isinstance(item, dict)]
        cls.__table__ = Table(
            cls.__tablename__, cls.metadata, *columns, *items, **(options[0] if options else {})
        )
        for column in columns:
            setattr(cls, column.name, column)


def _build_column(name: str, annotation: object, declared: _Declared) -> Column[Any]:
    """Build the column of an attribute with the annotation `TableColumn[...]`."""
    [content] = get_args(annotation)
    kinds = get_args(content)
    is_nullable = NoneType in kinds
    arguments = declared.arguments
    if not arguments or isinstance(arguments[0], SchemaItem):
        arguments = (_TYPES[kinds[0] if is_nullable else content], *arguments)
    return Column(name, *arguments, nullable=is_nullable, **declared.options)


TableT = TypeVar("TableT", bound=Base)


def aliased(table: type[TableT]) -> type[TableT]:
    """Return the table under another name, for statements that read it twice."""
    alias = table.__table__.alias()
    return cast(
        "type[TableT]", _TableClass(table.__name__, (), {"__table__": alias, **alias.columns})
    )
