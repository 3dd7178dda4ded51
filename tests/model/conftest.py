"""The processes of the tests of clients."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatapi.core.settings import Settings
from tests.model.processes import Processes
from tests.support.apps import make_settings
from tests.support.clock import MovableClock


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return make_settings(database_url, tmp_path, queues_per_user=100_000)


@pytest.fixture
async def processes(settings: Settings, clock: MovableClock) -> AsyncIterator[Processes]:
    async with Processes(settings, clock) as processes:
        yield processes
