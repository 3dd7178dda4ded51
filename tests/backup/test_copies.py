"""A restored backup has the rows and files of the original, on either database."""

import pytest
from sqlalchemy import make_url, text

from chatapi.backup.file_references import list_file_keys
from chatapi.core.clock import SystemClock
from chatapi.core.ids import RealmId
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.migrate import pending_changes, upgrade_database
from chatapi.db.raw_tables import raw_snapshot
from chatapi.features import realm
from tests.backup.conftest import KINDS, MakeEmpty
from tests.backup.copies import (
    back_up,
    files_of,
    fill_empty_tables,
    restore,
    rows_of,
    send_first_message,
)
from tests.db.test_migrated_rows import migrate
from tests.support.apps import running_app

pytestmark = pytest.mark.slow


@pytest.fixture(params=KINDS)
async def target(request: pytest.FixtureRequest, make_empty: MakeEmpty) -> Settings:
    """An empty database of either kind."""
    return await make_empty(str(request.param))


async def test_all_rows_and_files_are_restored(
    original: Settings, make_empty: MakeEmpty, target: Settings
) -> None:
    """The story has emptied some tables again: these get a made-up row first."""
    filled = await copy_of(original, make_empty)
    await fill_empty_tables(filled)
    rows, files = await rows_of(filled), files_of(original)
    assert all(rows.values())
    summary, backup = await back_up(filled)
    restored = await restore(target, backup)
    assert await rows_of(target) == rows
    assert files_of(target) == files
    assert restored.manifest.rows == summary.manifest.rows == sum(map(len, rows.values()))
    assert summary.manifest.files.count == len(files)
    assert (summary.lost_files, summary.manifest.files.missing) == ([], 0)
    database = Database(target)
    assert await pending_changes(database) == []
    await database.close()


async def test_all_kinds_of_files_are_found(original: Settings) -> None:
    """The job that removes orphaned files asks each feature; a backup reads the tables."""
    async with running_app(original, SystemClock()) as app:
        async with raw_snapshot(app.runtime.database) as snapshot:
            found = [key async for key in list_file_keys(snapshot)]
        assert len(found) > 10
        async with app.runtime.reading() as db:
            assert set(found) == await realm.list_file_keys(db, RealmId(1))
        assert set(found) == files_of(original).keys()


async def test_numbering_continues_behind_deleted_rows(
    original: Settings, make_empty: MakeEmpty
) -> None:
    copy = await copy_of(original, make_empty)
    newest = max(row[0] for row in (await rows_of(copy))["message"])
    # The message after it was deleted before the backup.
    assert await send_first_message(copy) > newest + 1


async def test_restored_messages_are_found_by_search(
    original: Settings, make_empty: MakeEmpty
) -> None:
    found = []
    for settings in (original, await copy_of(original, make_empty)):
        database = Database(settings)
        matches = "message_search MATCH 'file'" if database.is_sqlite else "words @@ 'file'"
        column = "rowid" if database.is_sqlite else "id"
        async with database.engine.connect() as connection:
            statement = f"SELECT {column} FROM message_search WHERE {matches} ORDER BY 1"  # noqa: S608
            found.append(list((await connection.execute(text(statement))).scalars()))
        await database.close()
    assert found[0] == found[1] != []


async def test_rows_that_refer_to_later_rows_are_restored(
    original: Settings, make_empty: MakeEmpty
) -> None:
    """A bot may belong to a user who came later."""
    changed = await copy_of(original, make_empty)
    database = Database(changed)
    statement = (
        "UPDATE account SET bot_owner_id = (SELECT max(id) FROM account)"
        " WHERE id = (SELECT min(id) FROM account WHERE bot_type IS NOT NULL)"
    )
    async with database.engine.begin() as connection:
        assert (await connection.execute(text(statement))).rowcount == 1
    await database.close()
    assert await rows_of(await copy_of(changed, make_empty)) == await rows_of(changed)


async def test_backup_of_an_earlier_revision_is_migrated(
    original: Settings, make_empty: MakeEmpty
) -> None:
    """An operator may have installed a new version already when they make the backup."""
    earlier = await copy_of(original, make_empty)
    database = Database(earlier)
    await migrate(database, "0017")
    summary, backup = await back_up(earlier)
    assert summary.header.revision == "0017"
    await upgrade_database(database)
    await database.close()
    target = await make_empty("sqlite")
    restored = await restore(target, backup)
    assert restored.revision > "0017"
    assert await rows_of(target) == await rows_of(earlier)


async def copy_of(original: Settings, make_empty: MakeEmpty) -> Settings:
    """A restored backup, on a database of the same kind."""
    copy = await make_empty(make_url(original.database_url).get_backend_name())
    _, backup = await back_up(original)
    await restore(copy, backup)
    return copy
