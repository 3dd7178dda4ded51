"""A backup shows one moment, however many rows are written while it is made."""

import asyncio
import io
import threading

from sqlalchemy import func, insert, select

from chatapi.backup import create_backup
from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Epoch
from chatapi.files.local import LocalStore
from tests.factories import Person


async def count_epochs(database: Database) -> int:
    async with database.engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(Epoch))).scalar_one()


async def add_epoch(settings: Settings) -> None:
    database = Database(settings)
    async with database.engine.begin() as connection:
        newest = (await connection.execute(select(func.max(Epoch.id)))).scalar_one()
        values = {"id": newest + 1, "began_at": SystemClock().now()}
        await connection.execute(insert(Epoch), values)
    await database.close()


async def test_rows_committed_meanwhile_are_not_in_it(settings: Settings, owner: Person) -> None:
    database, store = Database(settings), LocalStore(settings.uploads_dir)
    before = await count_epochs(database)
    seen: list[str] = []

    def write_another_row(line: str) -> None:
        """After each table another process commits a row; the backup waits for it."""
        seen.append(line)
        process = threading.Thread(target=lambda: asyncio.run(add_epoch(settings)))
        process.start()
        process.join()

    summary = await create_backup(database, store, io.BytesIO(), SystemClock(), write_another_row)
    assert seen[0].startswith("account:")
    assert summary.manifest.tables["epoch"].rows == before
    assert await count_epochs(database) == before + len(seen)
    await store.close()
    await database.close()
