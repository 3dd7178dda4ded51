"""Random histories of whole realms agree, after every step, with a few-line oracle."""

import asyncio
import os

import pytest
from hypothesis import HealthCheck, seed
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from chatapi.core.settings import Settings
from tests.model.machine import Organization
from tests.model.processes import Processes
from tests.support.databases import WorkerDatabase

HISTORIES = int(os.environ.get("CHATAPI_TEST_HISTORIES", "200"))
"""How many random histories run on SQLite; PostgreSQL runs a tenth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
"""The same histories each time, so that what fails is due to what was changed; others by choice."""
_PARTS = 4
_STEPS = 16


@pytest.mark.parametrize("part", range(_PARTS))
async def test_histories(
    settings: Settings, model_database: WorkerDatabase, backend: str, part: int
) -> None:
    share = HISTORIES // _PARTS if backend == "sqlite" else HISTORIES // _PARTS // 10

    class Here(Organization):
        pass

    Here.processes = Processes(settings, model_database, count=1)
    Here.loop = asyncio.get_running_loop()
    chosen = hypothesis_settings(
        max_examples=max(1, share),
        stateful_step_count=_STEPS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
        database=None,
    )
    histories = seed(_SEED * _PARTS + part)(Here)
    try:
        await asyncio.to_thread(run_state_machine_as_test, histories, settings=chosen)
    finally:
        await Here.processes.stop()
