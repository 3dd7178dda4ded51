"""Fixtures for every test: both databases, a movable clock, the app, a client and users.

A test that uses `database_url`, or anything built on it, runs once on SQLite and once on a real
PostgreSQL, with real commits. Servers that cannot be started fail the run; nothing is skipped.

The organization and the users that a test asks for by name are in the database before its app
starts (tests/support/worlds.py); `make_user` and `make_channel` add more, through the service.
"""

import gc
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.http.route import FeatureRouter
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.apps import StartApp, make_settings, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.databases import (
    SqliteTemplate,
    WorkerPostgres,
    WorkerSqlite,
    make_sqlite_template,
    worker_postgres,
    worker_sqlite,
)
from tests.support.quick_run import choose_small_sizes, runs_in_quick_run
from tests.support.run_order import order_for
from tests.support.servers import Servers, servers_of, stop_servers
from tests.support.temporary_valkey import TemporaryValkey, temporary_valkey
from tests.support.worlds import loaded_worlds, make_world, roles_in

# Random tests try the same each time, so that a failure is due to a change.
hypothesis_settings.register_profile(
    "chatapi", derandomize="CHATAPI_TEST_SEED" not in os.environ, deadline=None
)
hypothesis_settings.load_profile("chatapi")

# httpx tries to import it for every request, and searches all folders each time it is missing.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="run what tests/support/quick_run.py keeps"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("quick"):
        choose_small_sizes()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Run no garbage collection while tests are found: hardly anything becomes garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("quick"):
        quick = list(map(runs_in_quick_run, items))
        left_out = [item for item, is_quick in zip(items, quick, strict=True) if not is_quick]
        config.hook.pytest_deselected(items=left_out)
        items[:] = compress(items, quick)
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers > 1:
        items[:] = order_for(workers, items, [item.nodeid for item in items])


def pytest_collection_finish() -> None:
    """Exclude modules and collected tests from garbage collection: they last as long as the run.

    Python's collector spent a twelfth of the time of ordinary tests, most of it on these.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 10)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """The controller of a parallel run starts the servers and hands out their addresses."""
    node.workerinput["servers"] = servers_of(node.config).addresses()


def pytest_unconfigure(config: pytest.Config) -> None:
    stop_servers(config)


@pytest.fixture(scope="session")
def servers(request: pytest.FixtureRequest) -> Servers:
    return servers_of(request.config)


@pytest.fixture(scope="session")
async def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> SqliteTemplate:
    return await make_sqlite_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
async def sqlite_database(
    sqlite_template: SqliteTemplate, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[WorkerSqlite]:
    async with worker_sqlite(sqlite_template, tmp_path_factory.mktemp("sqlite")) as database:
        yield database


@pytest.fixture(scope="session")
def worker_name(request: pytest.FixtureRequest) -> str:
    """Distinguishes databases of parallel workers; `-p no:xdist` must work as well."""
    return str(getattr(request.config, "workerinput", {}).get("workerid", "alone"))


@pytest.fixture(scope="session")
async def postgres_database(servers: Servers, worker_name: str) -> AsyncIterator[WorkerPostgres]:
    async with worker_postgres(servers.postgres, f"chatapi_{worker_name}") as database:
        yield database


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def database_url(
    request: pytest.FixtureRequest,
    backend: str,
    sqlite_database: WorkerSqlite,
    postgres_database: WorkerPostgres,
) -> str:
    """A migrated database with the organization and users that the test asks for, if any.

    They exist before the app starts. The fixtures below hand them out.
    """
    database = sqlite_database if backend == "sqlite" else postgres_database
    roles = roles_in(request.fixturenames)
    if roles is None:
        return await database.empty()
    await database.fill(roles, partial(make_world, roles))
    return database.url


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Override it in a module or a class to run the app with other settings."""
    return make_settings(database_url, tmp_path)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture(scope="module")
def valkey_server() -> Iterator[TemporaryValkey]:
    """A Valkey of the module's own, which its tests may kill."""
    with temporary_valkey(private=True) as valkey:
        yield valkey


@pytest.fixture
def valkey(valkey_server: TemporaryValkey) -> TemporaryValkey:
    """The module's own Valkey, running again if a test has killed it."""
    valkey_server.start()
    return valkey_server


@pytest.fixture
async def start_app(settings: Settings, clock: MovableClock) -> AsyncIterator[StartApp]:
    async with AsyncExitStack() as stack:
        default = settings
        started: list[ChatApp] = []

        async def start(*extra: FeatureRouter, settings: Settings | None = None) -> ChatApp:
            app = await stack.enter_async_context(running_app(settings or default, clock, *extra))
            for earlier in started:
                # Otherwise they notice the new one half a second later, and its polls wait for it.
                await earlier.runtime.queues._epochs.check_for_new_epochs()
            started.append(app)
            return app

        yield start


@pytest.fixture
def extra_routes() -> tuple[FeatureRouter, ...]:
    """Override it to give the app endpoints of the test's own."""
    return ()


@pytest.fixture
async def app(start_app: StartApp, extra_routes: tuple[FeatureRouter, ...]) -> ChatApp:
    return await start_app(*extra_routes)


@pytest.fixture
def runtime(app: ChatApp) -> Runtime:
    return app.runtime


@pytest.fixture
async def client(app: ChatApp) -> AsyncIterator[ApiClient]:
    client = ApiClient(app)
    yield client
    await client.aclose()


@pytest.fixture
async def realm(runtime: Runtime) -> RealmRecord:
    world = loaded_worlds.of(runtime)
    if world is not None:
        return world.realm
    return await factories.make_realm(runtime, "Acme")


@pytest.fixture
def make_user(runtime: Runtime, realm: RealmRecord) -> MakeUser:
    """Creates users of the realm; for the options see tests/factories.py."""

    async def make(role: Role = Role.MEMBER, **details: Any) -> Person:
        return await factories.make_user(runtime, realm, role, **details)

    return make


async def _in_world(runtime: Runtime, make_user: MakeUser, role: Role) -> Person:
    world = loaded_worlds.of(runtime)
    if world is not None and role in world.people:
        return world.people[role]
    # The test has a database of its own, or asked for the fixture while it ran.
    return await make_user(role)


@pytest.fixture
async def owner(runtime: Runtime, make_user: MakeUser) -> Person:
    return await _in_world(runtime, make_user, Role.OWNER)


@pytest.fixture
async def admin(runtime: Runtime, make_user: MakeUser) -> Person:
    return await _in_world(runtime, make_user, Role.ADMIN)


@pytest.fixture
async def member(runtime: Runtime, make_user: MakeUser) -> Person:
    return await _in_world(runtime, make_user, Role.MEMBER)


@pytest.fixture
async def guest(runtime: Runtime, make_user: MakeUser) -> Person:
    return await _in_world(runtime, make_user, Role.GUEST)


@pytest.fixture
def make_channel(runtime: Runtime, realm: RealmRecord, owner: Person) -> MakeChannel:
    """Creates channels of the owner; for the options see tests/factories.py."""

    async def make(name: str | None = None, **details: Any) -> ChannelRecord:
        return await factories.make_channel(runtime, realm, owner, name, **details)

    return make
