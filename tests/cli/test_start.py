"""What a server has loaded, and how much memory it takes, when it answers its first requests."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.support.command import Command
from tests.support.process_memory import resident_bytes

MOST_RESIDENT_BYTES = 95 * 2**20
"""89 MiB on the measured machine; other versions of the libraries take a little more or less."""

NOT_LOADED = {
    "PIL": "pictures are drawn by worker processes",
    "alembic": "only a database of an older version is migrated",
    "argon2": "a request with an API key has no password to check",
    "asyncpg": "the database is SQLite",
    "chatapi.backup": "a command of its own",
    "chatapi.cli.demo": "a command of its own",
    "chatapi.cli.doctor": "a command of its own",
    "chatapi.cli.users": "a command of its own",
    "chatapi.files.s3": "files are in a folder",
    "chatapi.metrics": "metrics are off",
    "chatapi.tracing": "tracing is off",
    "click": "uvicorn's own command is not used",
    "emoji": "no user has used an emoji",
    "httpx": "no user has called an outgoing webhook",
    "latex2mathml": "no user has sent a formula",
    "limits": "logins are counted in Redis only if there is one",
    "markdown_it": "no user has sent a text with markup",
    "nh3": "no user has sent a text with markup",
    "passlib": "a request with an API key has no password to check",
    "pygments.lexers": "no user has sent code",
    "re2": "there are no linkifiers",
    "redis": "there is no Redis",
    "rich.console": "the greeting is plain text",
    "pydantic_settings": "settings are read by a few lines of our own",
    "sqlalchemy.dialects.postgresql.base": "the database is SQLite",
    "sqlalchemy.orm": "statements are of SQLAlchemy Core",
    "watchfiles": "it is for development",
    "xml.etree": "no user has sent a formula",
}
"""Modules that a server may need later, and why it does not need them to start."""


@dataclass(frozen=True)
class Started:
    """What was measured of a server."""

    modules: frozenset[str]
    resident_bytes: int


@pytest.fixture(scope="module")
async def started(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Started:
    """A server on SQLite without options, after its first requests."""
    folder = tmp_path_factory.mktemp("started")
    (folder / "chatapi.sqlite3").write_bytes(prepared.database.read_bytes())
    # Python lists what it imports on stderr. It takes more memory if it compiles as well: the
    # first server does so, for the second.
    command = Command(folder, {"data_dir": str(folder)}).with_variables(
        PYTHONPROFILEIMPORTTIME="1", PYTHONDONTWRITEBYTECODE=""
    )
    await first_requests(command, prepared)
    return await first_requests(command, prepared)


async def first_requests(command: Command, prepared: Prepared) -> Started:
    with command.serving() as serving:
        serving.read_greeting(last="╰")
        async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
            for path in (
                "/users/me",
                "/server_settings",
                "/messages?anchor=newest&num_before=9&num_after=0",
            ):
                assert (await client.get(path)).status_code == 200
        return Started(imported_modules(serving.errors), resident_bytes(serving.process.pid))


def imported_modules(stderr: Path) -> frozenset[str]:
    """The names in the lines of Python's list of imports: `import time: 12 | 34 | name`."""
    lines = stderr.read_text().splitlines()
    return frozenset(
        line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")
    )


def test_lists_what_is_loaded(started: Started) -> None:
    """Else the next test would show nothing."""
    assert {"fastapi.routing", "sqlalchemy", "chatapi.features.messages.fetch.service"} <= (
        started.modules
    )


@pytest.mark.parametrize("module", NOT_LOADED)
def test_module_is_not_loaded_before_it_is_needed(started: Started, module: str) -> None:
    assert module not in started.modules, NOT_LOADED[module]


def test_memory_is_bounded(started: Started) -> None:
    assert started.resident_bytes < MOST_RESIDENT_BYTES
