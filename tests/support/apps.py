"""Running applications inside the test's own event loop."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from msgspec.structs import replace
from typing_extensions import override

from chatapi.core.clock import Clock
from chatapi.core.settings import Settings
from chatapi.core.worker_processes import WorkerProcesses
from chatapi.http.route import FeatureRouter
from chatapi.main import ChatApp, create_app
from tests.support.kept_databases import kept_databases


def make_settings(database_url: str, data_dir: Path, **changes: Any) -> Settings:
    """Settings of a test: cheap passwords, no limits, and no log of ordinary requests."""
    if changes or not kept_databases.has(database_url):
        return Settings(
            **{"database_url": database_url, "data_dir": data_dir, **_OF_TESTS, **changes}
        )
    # Nothing here needs validation, which looks through the environment for several milliseconds.
    places = {"database_url": database_url, "data_dir": data_dir}
    return _settings_of_tests().model_copy(update=places)


_OF_TESTS: dict[str, Any] = {
    "migrate_on_start": False,
    "rate_limits": "off",
    "password_hash_kib": 8,
    "password_hash_rounds": 1,
    # As long as possible: on a busy machine, no heartbeat comes in place of the awaited event.
    "heartbeat_seconds": 59,
    # A machine that runs many tests at once makes PostgreSQL slow, not unresponsive.
    "database_silence_seconds": 60,
    "log_level": "error",
    "log_format": "json",
}


class KeptProcesses(WorkerProcesses):
    """Processes that outlive an application: starting one takes longer than most tests."""

    @override
    def close(self) -> None:
        """They end with the tests."""


KEPT_PROCESSES = KeptProcesses("rendering processes", 2)


@cache
def _settings_of_tests() -> Settings:
    """Settings without an address or a folder, made once."""
    return Settings(**_OF_TESTS)


class StartApp(Protocol):
    """Starts another application on the same database, which stands for another process."""

    def __call__(
        self, *extra: FeatureRouter, settings: Settings | None = None
    ) -> Awaitable[ChatApp]: ...


@asynccontextmanager
async def running_app(
    settings: Settings, clock: Clock, *extra: FeatureRouter
) -> AsyncIterator[ChatApp]:
    """The whole service, with endpoints of the test's own beside its features."""
    app = create_app(settings, clock, kept_databases.lend(settings))
    app.runtime = app.state.runtime = replace(app.runtime, rendering_processes=KEPT_PROCESSES)
    for router in extra:
        app.router.routes.extend(router.routes)
    async with app.router.lifespan_context(app):
        yield app
