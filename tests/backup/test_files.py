"""Files that disappear before or while a backup is made: the backup says so."""

import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from typing_extensions import override

from chatapi.backup import BackupReader, create_backup
from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.files.local import LocalStore
from chatapi.files.store import ByteRange
from tests.backup.conftest import MakeEmpty
from tests.backup.copies import back_up, files_of, restore, rows_of, say_nothing
from tests.factories import Person
from tests.features.uploads.files import send_to_person, upload
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.waiting import until


@pytest.mark.slow
async def test_lost_file_is_named_and_the_rest_is_saved(
    client: ApiClient, owner: Person, settings: Settings, make_empty: MakeEmpty
) -> None:
    links = [await upload(client, owner) for _ in range(3)]
    await send_to_person(client, owner, owner, " ".join(links))
    lost, *kept = sorted(files_of(settings))
    (settings.uploads_dir / lost).unlink()
    summary, backup = await back_up(settings)
    assert summary.lost_files == [lost]
    assert (summary.manifest.files.count, summary.manifest.files.missing) == (2, 1)
    reader = BackupReader(io.BytesIO(backup))
    reader.read_all()
    assert (reader.faults, reader.missing) == ([], 1)
    target = await make_empty("sqlite")
    await restore(target, backup)
    assert sorted(files_of(target)) == kept
    assert await rows_of(target) == await rows_of(settings)


class InterruptedStore(LocalStore):
    """Does something else before the first file is read."""

    def __init__(self, settings: Settings, meanwhile: Callable[[], Awaitable[None]]) -> None:
        super().__init__(settings.uploads_dir)
        self._meanwhile: Callable[[], Awaitable[None]] | None = meanwhile

    @override
    @asynccontextmanager
    async def read(
        self, key: str, part: ByteRange | None = None
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        if self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None
            await meanwhile()
        async with super().read(key, part) as chunks:
            yield chunks


async def test_file_that_is_deleted_meanwhile_is_not_called_lost(
    client: ApiClient, owner: Person, settings: Settings
) -> None:
    for _ in range(2):
        await send_to_person(client, owner, owner, await upload(client, owner))
    attachments = assert_success(await client.get("/attachments", owner))["attachments"]

    async def delete_one() -> None:
        path = f"/attachments/{attachments[0]['id']}"
        assert_success(await client.delete(path, owner))
        await until(lambda: len(files_of(settings)) == 1)

    database, store = Database(settings), InterruptedStore(settings, delete_one)
    stream = io.BytesIO()
    summary = await create_backup(database, store, stream, SystemClock(), say_nothing)
    await store.close()
    await database.close()
    assert summary.manifest.tables["attachment"].rows == 2
    assert (summary.manifest.files.count, summary.manifest.files.missing) == (1, 1)
    assert summary.lost_files == []
    reader = BackupReader(io.BytesIO(stream.getvalue()))
    reader.read_all()
    assert (reader.faults, reader.missing) == ([], 1)
