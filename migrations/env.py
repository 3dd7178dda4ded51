"""Alembic's entry: migrates on the connection it is given, or on one of its own."""

import asyncio

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import JSON, Connection

from chatapi.core.settings import Settings
from chatapi.db.base import EnumColumn, UtcDateTime
from chatapi.db.database import Database
from chatapi.db.models import metadata
from chatapi.db.partial_indexes import add_postgresql_conditions
from chatapi.db.search import is_of_models


def render_type(kind: str, item: object, autogenerate: AutogenContext) -> str | bool:
    """Migrations know the column types of their day, not our classes of today."""
    if kind == "type" and isinstance(item, JSON):
        autogenerate.imports.add("from sqlalchemy.dialects import postgresql")
        return 'sa.JSON().with_variant(postgresql.JSONB(), "postgresql")'
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(item, EnumColumn):
        return "sa.SmallInteger()"
    return False


def migrate(connection: Connection) -> None:
    add_postgresql_conditions(metadata)
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,
        render_item=render_type,
        compare_type=True,
        include_name=is_of_models,
    )
    with context.begin_transaction():
        context.run_migrations()


async def migrate_on_own_connection() -> None:
    database = Database(Settings())
    async with database.unlimited_engine() as engine, engine.begin() as connection:
        await connection.run_sync(migrate)
    await database.close()


given: Connection | None = context.config.attributes.get("connection")
if given is None:
    asyncio.run(migrate_on_own_connection())
else:
    migrate(given)
