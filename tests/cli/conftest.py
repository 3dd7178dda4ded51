"""A database with an organization and its owner, made once by the command itself."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command, Outcome
from tests.support.servers import Servers

OWNER_EMAIL = "iago@example.com"
OWNER = ("--email", OWNER_EMAIL, "--name", "Iago", "--role", "owner", "--password-stdin")
OWNER_PASSWORD = "very secret"


@dataclass(frozen=True)
class Prepared:
    """What setting up a server printed; its SQLite file is there to be copied."""

    database: Path
    upgrade: Outcome
    organization: Outcome
    owner: Outcome

    @property
    def owner_key(self) -> str:
        key: Any = self.owner.json["api_key"]
        return str(key)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("prepared")
    command = Command(folder, {"data_dir": str(folder)})
    return Prepared(
        database=folder / "chatapi.sqlite3",
        upgrade=command.run("db", "upgrade", "--json"),
        organization=command.run("org", "create", "--name", "Acme", "--json"),
        owner=command.run("user", "create", *OWNER, "--json", stdin=OWNER_PASSWORD),
    )


@pytest.fixture
def empty_command(tmp_path: Path) -> Command:
    """The command in a folder where nothing is."""
    return Command(tmp_path, {"data_dir": str(tmp_path)})


@pytest.fixture
def command(prepared: Prepared, empty_command: Command) -> Command:
    """The command on a copy of the prepared database."""
    shutil.copy(prepared.database, empty_command.folder)
    return empty_command


@pytest.fixture
async def postgres_command(
    servers: Servers, worker_name: str, empty_command: Command
) -> AsyncIterator[Command]:
    """The command on a PostgreSQL database without any table."""
    name = f"chatapi_cli_{worker_name}"
    await servers.postgres.drop_database(name)
    await servers.postgres.create_database(name)
    yield empty_command.with_settings(database_url=servers.postgres.url_for(name))
    await servers.postgres.drop_database(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_command(request: pytest.FixtureRequest) -> Command:
    """The command on a database without any table, once on each kind."""
    name = "empty_command" if request.param == "sqlite" else "postgres_command"
    chosen: Command = request.getfixturevalue(name)
    return chosen
