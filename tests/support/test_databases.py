"""Rows that are kept for later tests are complete."""

import sqlite3
from contextlib import closing

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
