"""What clients learn from POST /register and from events is what the database says.

Whatever happens meanwhile, through whichever process, and however late they read.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from chatapi.core.settings import Settings
from tests.model.client_history import History, live, random_history, shorten
from tests.model.processes import Processes
from tests.support.apps import make_settings
from tests.support.clock import MovableClock

HISTORIES = int(os.environ.get("CHATAPI_TEST_HISTORIES", "200"))
"""How many random histories SQLite lives through; PostgreSQL takes a tenth of them."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
"""The same histories each time, so that what fails is due to what was changed; others by choice."""
_PARTS = 4


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return make_settings(database_url, tmp_path, queues_per_user=100_000)


@pytest.fixture
async def processes(settings: Settings, clock: MovableClock) -> AsyncIterator[Processes]:
    async with Processes(settings, clock) as processes:
        yield processes


@pytest.mark.parametrize("part", range(_PARTS))
async def test_clients_agree_with_database(processes: Processes, backend: str, part: int) -> None:
    share = HISTORIES // _PARTS if backend == "sqlite" else HISTORIES // _PARTS // 10
    for number in range(max(1, share)):
        name = f"{_SEED}/{part}/{number}"
        history = random_history(Random(name))
        if await _failure(processes, history) is None:
            continue
        short = await shorten(history, lambda each: _fails(processes, each))
        steps = "\n".join(f"    {each!r}" for each in short.rounds)
        why = await _failure(processes, short) or "It did not fail again."
        pytest.fail(f"History {name} fails; shortened:\n{steps}\n{why}", pytrace=False)


async def _fails(processes: Processes, history: History) -> bool:
    return await _failure(processes, history) is not None


async def _failure(processes: Processes, history: History) -> str | None:
    try:
        await live(processes, history)
    except AssertionError as error:
        return str(error)
    return None
