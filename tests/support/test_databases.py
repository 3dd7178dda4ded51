"""Tests begin with the rows that are kept for them, all of them and no others."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chatapi.auth.realm_rows import RealmRows
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


async def test_application_reads_the_new_file_although_closing_the_former_one_took_too_long(
    sqlite_database: WorkerSqlite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatapi.db.database._MAX_CLOSE_SECONDS", 0)
    settings = make_settings(await sqlite_database.empty(), tmp_path)
    async with running_app(settings, MovableClock()) as app:
        await make_realm(app.runtime, "Acme")
    await sqlite_database.empty()
    async with running_app(settings, MovableClock()) as app, app.runtime.reading() as db:
        assert await RealmRows(db).count_realms() == 0
