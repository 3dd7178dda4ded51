"""Random realms: every step is done through the API and in the oracle, then compared."""

import asyncio

from hypothesis import HealthCheck, seed
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.changing import Changing
from tests.model.comparing import Comparing
from tests.model.marking import Marking
from tests.model.processes import Processes
from tests.model.talking import Talking

_STEPS = 16


class Organization(Talking, Marking, Changing, Comparing):
    """One realm of a running service; hypothesis chooses the steps."""


async def run_histories(
    machine: type[Organization], processes: Processes, count: int, number: int
) -> None:
    """Run so many random histories, which follow from a number, and stop the processes."""
    here = type("Here", (machine,), {"processes": processes, "loop": asyncio.get_running_loop()})
    chosen = hypothesis_settings(
        max_examples=count,
        stateful_step_count=_STEPS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
        database=None,
    )
    histories = seed(number)(here)
    try:
        await asyncio.to_thread(run_state_machine_as_test, histories, settings=chosen)
    finally:
        await processes.stop()
