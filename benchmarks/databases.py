"""Databases that exist for one measurement."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from tests.support.temporary_postgres import temporary_postgres


@contextmanager
def databases(kind: str) -> Iterator[tuple[str, str]]:
    """The addresses of an empty database for the service and of one for the yardstick."""
    with tempfile.TemporaryDirectory(prefix="chatapi-bench-") as folder:
        if kind == "sqlite":
            yield f"sqlite+aiosqlite:///{folder}/chat.db", f"sqlite+aiosqlite:///{folder}/bare.db"
            return
        with temporary_postgres(durable=True) as server:
            uvloop.run(server.create_database("chat"))
            uvloop.run(server.create_database("bare"))
            yield server.url_for("chat"), server.url_for("bare")
