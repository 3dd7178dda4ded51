"""The processes of the tests of clients."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatapi.core.settings import Settings
from tests.model.processes import Processes
from tests.support.apps import make_settings
from tests.support.databases import WorkerDatabase, WorkerPostgres, WorkerSqlite


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return make_settings(database_url, tmp_path, queues_per_user=100_000)


@pytest.fixture
def model_database(
    backend: str, sqlite_database: WorkerSqlite, postgres_database: WorkerPostgres
) -> WorkerDatabase:
    return sqlite_database if backend == "sqlite" else postgres_database


@pytest.fixture
async def processes(settings: Settings, model_database: WorkerDatabase) -> AsyncIterator[Processes]:
    processes = Processes(settings, model_database)
    yield processes
    await processes.stop()
