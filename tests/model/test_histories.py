"""Random histories of whole realms agree, after every step, with a few-line oracle."""

import os

import pytest

from chatapi.core.settings import Settings
from tests.model.machine import Organization, run_histories
from tests.model.processes import Processes
from tests.support.databases import WorkerDatabase

HISTORIES = int(os.environ.get("CHATAPI_TEST_HISTORIES", "48"))
"""How many random histories run on SQLite; PostgreSQL runs a sixth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
"""The same histories each time, so that what fails is due to what was changed; others by choice."""
_PARTS = 4


@pytest.mark.parametrize("part", range(_PARTS))
async def test_histories(
    settings: Settings, model_database: WorkerDatabase, backend: str, part: int
) -> None:
    share = HISTORIES // _PARTS if backend == "sqlite" else HISTORIES // _PARTS // 6
    processes = Processes(settings, model_database, count=1)
    await run_histories(Organization, processes, max(1, share), _SEED * _PARTS + part)
