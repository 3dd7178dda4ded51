"""The database of settings, without a service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chatapi.core.settings import Settings
from chatapi.db.database import Database


@asynccontextmanager
async def opened_database(settings: Settings) -> AsyncIterator[Database]:
    database = Database(settings)
    try:
        yield database
    finally:
        await database.close()
