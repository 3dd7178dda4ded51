"""The declarative base every table derives from, and the column types both dialects share."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any, ClassVar, TypeAlias, TypeVar

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, MetaData, SmallInteger, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator
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


class Base(DeclarativeBase):
    """Names every constraint by one rule, so that migrations can refer to it."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar = {datetime: UtcDateTime, dict[str, Any]: JsonObject}
