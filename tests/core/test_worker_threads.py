"""Blocking work in threads of its own."""

import asyncio
from pathlib import Path
from threading import Event
from typing import IO

import pytest

from chatapi.core.worker_threads import WorkerThreads
from tests.support.waiting import until


async def test_file_opened_after_its_reader_was_cancelled_is_closed(tmp_path: Path) -> None:
    threads = WorkerThreads("files", 1)
    is_opening, may_open = Event(), Event()
    opened: list[IO[bytes]] = []

    def open_slowly() -> IO[bytes]:
        is_opening.set()
        may_open.wait()
        opened.append((tmp_path / "file").open("wb"))
        return opened[0]

    async def read() -> None:
        async with threads.open_file(open_slowly):
            pass

    reader = asyncio.create_task(read())
    await until(is_opening.is_set)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    may_open.set()
    await until(lambda: bool(opened) and opened[0].closed)
    threads.close()
