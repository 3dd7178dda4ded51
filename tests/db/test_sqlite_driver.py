"""SQLite's driver: one trip to the thread returns everything about a statement."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatapi.db.sqlite_driver import EagerConnection, EagerCursor, connect


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[EagerConnection]:
    connection = await connect(str(tmp_path / "notes.db"))
    await connection.cursor().execute("CREATE TABLE note (id integer PRIMARY KEY, text text)")
    yield connection
    await connection.close()


@pytest.fixture
async def cursor(connection: EagerConnection) -> EagerCursor:
    cursor = connection.cursor()
    await cursor.executemany("INSERT INTO note (text) VALUES (?)", [("one",), ("two",)])
    return cursor


async def test_many_rows_are_counted(cursor: EagerCursor) -> None:
    assert cursor.rowcount == 2
    assert await cursor.fetchall() == []


async def test_rows_come_with_the_names_of_columns(cursor: EagerCursor) -> None:
    await cursor.execute("SELECT id, text FROM note WHERE id > ?", (1,))
    assert [column[0] for column in cursor.description] == ["id", "text"]
    assert await cursor.fetchall() == [(2, "two")]


async def test_rows_that_a_change_returns_are_counted(cursor: EagerCursor) -> None:
    await cursor.execute("UPDATE note SET text = ? RETURNING id", ("three",))
    assert await cursor.fetchall() == [(1,), (2,)]
    assert cursor.rowcount == 2


async def test_insert_returns_the_id_of_the_last_row(cursor: EagerCursor) -> None:
    await cursor.execute("INSERT INTO note (text) VALUES (?)", ("three",))
    assert cursor.lastrowid == 3


async def test_rows_do_not_outlive_the_next_statement(cursor: EagerCursor) -> None:
    await cursor.execute("SELECT id FROM note")
    await cursor.execute("DELETE FROM note")
    assert await cursor.fetchall() == []
    assert cursor.description is None


async def test_a_refusal_leaves_the_connection_usable(
    connection: EagerConnection, cursor: EagerCursor
) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        await cursor.execute("INSERT INTO note (id) VALUES (1)")
    again = connection.cursor()
    await again.execute("SELECT count(*) FROM note")
    assert await again.fetchall() == [(2,)]


async def test_a_new_file_can_be_opened_by_several_connections_at_once(tmp_path: Path) -> None:
    for number in range(50):
        file = str(tmp_path / f"{number}.db")
        opened = await asyncio.gather(*(connect(file) for _ in range(4)))
        await asyncio.gather(*(connection.close() for connection in opened))


async def test_a_file_can_be_opened_while_others_close_it(tmp_path: Path) -> None:
    file = str(tmp_path / "notes.db")

    async def write_and_close() -> None:
        connection = await connect(file)
        await connection.cursor().execute("CREATE TABLE IF NOT EXISTS note (id integer)")
        await connection.close()

    for _ in range(50):
        await asyncio.gather(*(write_and_close() for _ in range(4)))


@pytest.mark.parametrize("name", ["notes.db", "missing/notes.db"])
async def test_a_file_that_cannot_be_opened_is_refused_and_leaves_no_thread(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "notes.db").write_bytes(b"no database" * 1000)
    before = set(threading.enumerate())
    with pytest.raises(sqlite3.DatabaseError, match=r"not a database|unable to open"):
        _ = await connect(str(tmp_path / name))
    assert set(threading.enumerate()) <= before
