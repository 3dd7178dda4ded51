"""Indexes with a condition, which for PostgreSQL is added when tables are created or compared."""

import pytest
from sqlalchemy import Column, Dialect, Integer, MetaData, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex

from chatapi.db.partial_indexes import add_postgresql_conditions, partial_index


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [(sqlite.dialect(), "is_hidden = 1"), (postgresql.dialect(), "is_hidden")],
    ids=["sqlite", "postgresql"],
)
def test_each_database_has_its_own_condition(dialect: Dialect, condition: str) -> None:
    index = partial_index("ix", "a", sqlite="is_hidden = 1", postgresql="is_hidden")
    metadata = MetaData()
    Table("t", metadata, Column("a", Integer), index)
    add_postgresql_conditions(metadata)
    statement = str(CreateIndex(index).compile(dialect=dialect))
    assert statement == f"CREATE INDEX ix ON t (a) WHERE {condition}"
