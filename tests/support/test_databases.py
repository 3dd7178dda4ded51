"""Tests begin with the rows that are kept for them, all of them and no others."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chatapi.auth.realm_rows import RealmRows
from chatapi.core.settings import Settings
from tests.factories import make_realm
from tests.support.apps import make_settings, running_app
from tests.support.clock import MovableClock
from tests.support.databases import WorkerSqlite

WRITE = "CREATE TABLE note (text)"
READ = "SELECT count(*) FROM sqlite_master WHERE name = 'note'"


def open_file(database: WorkerSqlite) -> sqlite3.Connection:
    connection = sqlite3.connect(database.path)
    connection.execute("PRAGMA journal_mode = WAL")
    return connection


async def test_rows_are_kept_while_a_connection_is_open(sqlite_database: WorkerSqlite) -> None:
    async def leave_open(_url: str) -> sqlite3.Connection:
        connection = open_file(sqlite_database)
        connection.execute(WRITE)
        return connection

    with closing(await sqlite_database.fill("a note", leave_open)):
        await sqlite_database.empty()
        await sqlite_database.fill("a note", leave_open)
        with closing(open_file(sqlite_database)) as reader:
            assert reader.execute(READ).fetchone() == (1,)


async def number_of_realms(settings: Settings) -> int:
    """How many an application finds, after which it adds another one and ends."""
    async with running_app(settings, MovableClock()) as app:
        async with app.runtime.reading() as db:
            found = await RealmRows(db).count_realms()
        await make_realm(app.runtime, "Acme")
    return found


class TestNextApplication:
    @pytest.fixture
    async def settings(self, sqlite_database: WorkerSqlite, tmp_path: Path) -> Settings:
        return make_settings(await sqlite_database.empty(), tmp_path)

    async def test_finds_no_rows_on_connections_of_the_former_one(
        self, sqlite_database: WorkerSqlite, settings: Settings
    ) -> None:
        await number_of_realms(settings)
        file = sqlite_database.path.stat().st_ino
        await sqlite_database.empty()
        assert await number_of_realms(settings) == 0
        assert sqlite_database.path.stat().st_ino == file

    @pytest.mark.parametrize(
        "leave",
        ["BEGIN IMMEDIATE; INSERT INTO epoch (began_at) VALUES (0)", "CREATE TABLE note (text)"],
        ids=["open transaction", "other tables"],
    )
    async def test_has_a_new_file_after(
        self, sqlite_database: WorkerSqlite, settings: Settings, leave: str
    ) -> None:
        await number_of_realms(settings)
        with closing(open_file(sqlite_database)) as connection:
            connection.executescript(leave)
            await sqlite_database.empty()
            assert await number_of_realms(settings) == 0
            with closing(open_file(sqlite_database)) as reader:
                assert reader.execute(READ).fetchone() == (0,)

    async def test_has_a_new_file_after_a_lost_one(
        self, sqlite_database: WorkerSqlite, settings: Settings
    ) -> None:
        await number_of_realms(settings)
        sqlite_database.path.unlink()
        await sqlite_database.empty()
        assert await number_of_realms(settings) == 0
