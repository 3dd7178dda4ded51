"""Indexes with a condition, which for PostgreSQL is added when tables are created or compared."""

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, make_url
from sqlalchemy.schema import CreateIndex

from chatapi.db.partial_indexes import add_postgresql_conditions, partial_index


@pytest.mark.parametrize(
    ("driver", "condition"),
    [("sqlite+aiosqlite", "is_hidden = 1"), ("postgresql+asyncpg", "is_hidden")],
)
def test_each_database_has_its_own_condition(driver: str, condition: str) -> None:
    index = partial_index("ix", "a", sqlite="is_hidden = 1", postgresql="is_hidden")
    metadata = MetaData()
    Table("t", metadata, Column("a", Integer), index)
    add_postgresql_conditions(metadata)
    dialect = make_url(f"{driver}://").get_dialect()()
    statement = str(CreateIndex(index).compile(dialect=dialect))
    assert statement == f"CREATE INDEX ix ON t (a) WHERE {condition}"
