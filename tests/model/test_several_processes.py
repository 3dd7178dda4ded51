"""Random histories of realms in which several processes write, so that one of them leads.

The other tests of histories have one process, or two without a bus, which compete for the lock.
"""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest

from chatapi.core.settings import Settings
from tests.model.actions import Step, any_focus, any_step
from tests.model.client_history import History, Round, find_failure, random_history
from tests.model.machine import run_histories
from tests.model.processes import Processes
from tests.model.rivals import RivalProcesses
from tests.model.searching import assert_none_fails
from tests.support.databases import WorkerDatabase
from tests.support.temporary_valkey import TemporaryValkey

HISTORIES = int(os.environ.get("CHATAPI_TEST_PROCESS_HISTORIES", "4"))
"""How many random histories of each kind run with each number of processes."""
_SEED = int(os.environ.get("CHATAPI_TEST_SEED", "1"))
_SENDS = frozenset({"send", "send_direct", "go_on_talking"})
_COMPETING = 0.7
_RESTARTING = 0.05

pytestmark = pytest.mark.slow


@pytest.fixture
def backend() -> str:
    """On SQLite, one process writes."""
    return "postgresql"


@pytest.fixture(params=[2, 4])
def process_count(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
async def processes(
    settings: Settings, model_database: WorkerDatabase, process_count: int, valkey: TemporaryValkey
) -> AsyncIterator[Processes]:
    processes = Processes(settings, model_database, process_count, valkey)
    yield processes
    await processes.stop()


async def test_histories(processes: Processes) -> None:
    await run_histories(RivalProcesses, processes, HISTORIES, _SEED)
    assert processes.forwarded > 0


async def test_clients_agree_with_database(processes: Processes) -> None:
    names = [f"{_SEED}/{number}" for number in range(HISTORIES)]
    histories = ((name, _rival_history(Random(name), len(processes))) for name in names)
    await assert_none_fails(histories, lambda each: find_failure(processes, each))
    await processes.stop()
    assert processes.forwarded > 0


def _rival_history(chance: Random, count: int) -> History:
    """A random history through all processes, in which users send all the time."""
    history = random_history(chance)
    return replace(history, rounds=tuple(_rivals(chance, each, count) for each in history.rounds))


def _rivals(chance: Random, each: Round, count: int) -> Round:
    """The round with messages that several processes write while its steps are taken."""
    steps = (*each.steps, *(_any_send(chance) for _ in range(chance.randint(1, count))))
    return replace(
        each,
        steps=tuple(replace(step, process=chance.randrange(count)) for step in steps),
        process=chance.randrange(count),
        restarts=chance.random() < _RESTARTING,
        competes=chance.randrange(count) if chance.random() < _COMPETING else None,
    )


def _any_send(chance: Random) -> Step:
    while True:
        step = any_step(chance, any_focus(chance))
        if step.action.__name__ in _SENDS:
            return step
