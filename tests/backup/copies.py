"""Making and restoring backups, and what a database and its files contain."""

import hashlib
import io
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, select
from sqlalchemy.ext.asyncio import AsyncConnection

from chatapi.auth.realm_rows import RealmRows
from chatapi.backup import BackupSummary, RestoreSummary, create_backup, restore_backup
from chatapi.core.clock import SystemClock
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.base import UtcDateTime
from chatapi.db.database import Database
from chatapi.db.models import metadata
from chatapi.files.stores import store_for
from tests import factories
from tests.features.uploads.files import send_to_person
from tests.support.apps import running_app
from tests.support.client import ApiClient


def say_nothing(_line: str) -> None:
    """Discards the progress."""


async def back_up(settings: Settings) -> tuple[BackupSummary, bytes]:
    """Make a backup in memory."""
    database, store = Database(settings), store_for(settings, SystemClock())
    stream = io.BytesIO()
    try:
        summary = await create_backup(database, store, stream, SystemClock(), say_nothing)
    finally:
        await store.close()
        await database.close()
    return summary, stream.getvalue()


async def restore(settings: Settings, backup: bytes) -> RestoreSummary:
    database, store = Database(settings), store_for(settings, SystemClock())
    try:
        return await restore_backup(database, store, io.BytesIO(backup), say_nothing)
    finally:
        await store.close()
        await database.close()


async def rows_of(settings: Settings) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, read through the models."""
    database = Database(settings)
    async with database.engine.connect() as connection:
        rows = {
            name: [
                tuple(row)
                for row in await connection.execute(select(table).order_by(*table.primary_key))
            ]
            for name, table in metadata.tables.items()
        }
    await database.close()
    return rows


def files_of(settings: Settings) -> dict[str, str]:
    """The SHA-256 of each stored file, by its key."""
    folder = settings.uploads_dir
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


async def send_first_message(settings: Settings) -> int:
    """Start the service on a database and send a message; returns its id."""
    async with running_app(settings, SystemClock()) as app:
        async with app.runtime.reading() as db:
            [realm] = await RealmRows(db).list_all()
        owner = await factories.make_user(app.runtime, realm, Role.OWNER)
        client = ApiClient(app)
        sent = await send_to_person(client, owner, owner, "first")
        await client.aclose()
    return sent


async def fill_empty_tables(settings: Settings) -> None:
    """Insert a row into each table that has none, with references to rows that exist."""
    database = Database(settings)
    async with database.engine.begin() as connection:
        for table in metadata.sorted_tables:
            if (await connection.execute(select(table).limit(1))).first() is None:
                values = {
                    column.name: await _value_for(connection, column) for column in table.columns
                }
                await connection.execute(table.insert(), values)
    await database.close()


async def _value_for(connection: AsyncConnection, column: Column[Any]) -> Any:
    for key in column.foreign_keys:
        return (await connection.execute(select(key.column).limit(1))).scalar_one()
    if isinstance(column.type, JSON):
        return {"list": [1, None, "naïve ☃", 2.5], "is": True}
    if isinstance(column.type, UtcDateTime):
        return datetime(2026, 2, 3, 4, 5, 6, 789, tzinfo=UTC)
    return {bool: True, int: 7, str: "☃"}[column.type.python_type]
