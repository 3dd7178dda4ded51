"""Real servers on a PostgreSQL that is stopped, loses packets, and fails over to a second one.

By default the service waits three seconds for an answer of the database, and asks four times a
second. That gives 503 within four seconds, and answers within two once the database is back. The
bounds here are those of a busy machine; what was measured is printed.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from sqlalchemy import make_url

from chatapi.core.clock import SystemClock
from tests import factories
from tests.factories import Person
from tests.support.apps import make_settings, running_app
from tests.support.client import basic_auth
from tests.support.command import Command
from tests.support.killable_postgres import KillablePostgres, killable_postgres
from tests.support.monitors import until_watched
from tests.support.servers import migrate
from tests.support.tcp_proxy import TcpProxy, tcp_proxy, to_postgres

DATABASE = "faults"
MAX_FAILURE_SECONDS = 180
MAX_RETURN_SECONDS = 180
AT_ONCE = 12
MAX_START_SECONDS = 150

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def postgres() -> Iterator[KillablePostgres]:
    with killable_postgres() as postgres:
        yield postgres


@pytest.fixture(scope="module")
async def member(postgres: KillablePostgres, tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A member of a realm in a database that is copied later."""
    await postgres.server.create_database(DATABASE)
    url = postgres.server.url_for(DATABASE)
    await migrate(url)
    settings = make_settings(url, tmp_path_factory.mktemp("data"))
    async with running_app(settings, SystemClock()) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        return await factories.make_user(app.runtime, realm)


@pytest.fixture(scope="module")
def second(postgres: KillablePostgres, member: Person) -> Iterator[KillablePostgres]:
    """The server to fail over to."""
    with postgres.copy() as second:
        yield second


@pytest.fixture
async def proxy(postgres: KillablePostgres) -> AsyncIterator[TcpProxy]:
    async with tcp_proxy(to_postgres(postgres.server.maintenance_url)) as proxy:
        yield proxy


@dataclass(frozen=True)
class Crowd:
    """Clients that read and write at the same time, each on a connection of its own."""

    client: httpx.AsyncClient
    person: Person

    async def statuses(self, *, are_reads: bool = False) -> set[int]:
        reads = [True] * AT_ONCE if are_reads else [True, False] * (AT_ONCE // 2)
        return set(await asyncio.gather(*map(self._ask, reads)))

    async def seconds_until_all_are_served(self, longest: float = MAX_RETURN_SECONDS) -> float:
        began = time.monotonic()
        async with asyncio.timeout(longest):
            # The system distributes clients over processes, each of which recovers by itself.
            while await self.statuses() != {200}:
                pass
        return time.monotonic() - began

    async def seconds_of_one_failure(self) -> float:
        """How long requests wait that arrive at the moment the database goes away."""
        began = time.monotonic()
        async with asyncio.timeout(MAX_FAILURE_SECONDS):
            assert await self.statuses() == {503}
        return time.monotonic() - began

    async def _ask(self, is_read: bool) -> int:
        if is_read:
            response = await self.client.get("/users/me")
        else:
            message = {"type": "direct", "to": f"[{self.person.user_id}]", "content": "hello"}
            response = await self.client.post("/messages", data=message)
        assert response.json()["result"] == ("success" if response.is_success else "error")
        return response.status_code


@pytest.fixture(params=[1, 2, 4])
def processes(request: pytest.FixtureRequest) -> int:
    count: int = request.param
    return count


@pytest.fixture
async def crowd(
    processes: int,
    proxy: TcpProxy,
    member: Person,
    postgres: KillablePostgres,
    second: KillablePostgres,
    tmp_path: Path,
) -> AsyncIterator[Crowd]:
    del second  # making the copy starts the first one anew
    database = make_url(postgres.server.url_for(DATABASE))
    url = database.set(host="127.0.0.1", port=proxy.port, query={})
    settings = {
        "data_dir": str(tmp_path),
        "database_url": url.render_as_string(hide_password=False),
        "rate_limits": "off",
    }
    with Command(tmp_path, settings).serving("--workers", str(processes)) as serving:
        await asyncio.to_thread(serving.read_greeting, last="╰")
        async with httpx.AsyncClient(
            base_url=f"{serving.url}/api/v1",
            auth=basic_auth(member),
            timeout=MAX_FAILURE_SECONDS,
            # Connections are distributed over the processes when they are opened.
            headers={"Connection": "close"},
        ) as client:
            await until_watched(database, processes, MAX_START_SECONDS)
            yield Crowd(client, member)


async def test_silent_database_gives_503_within_seconds_and_recovers(
    crowd: Crowd,
    processes: int,
    proxy: TcpProxy,
    second: KillablePostgres,
) -> None:
    measured: dict[str, float] = {}
    # Only reads before that: the second server has no copy of what is written to the first.
    assert await crowd.statuses(are_reads=True) == {200}
    proxy.target = to_postgres(second.server.maintenance_url)
    proxy.silence_open_connections()
    measured["failed over: 200 after"] = await crowd.seconds_until_all_are_served()

    second.freeze()
    measured["stopped: 503 after"] = await crowd.seconds_of_one_failure()
    measured["still stopped: 503 after"] = await crowd.seconds_of_one_failure()
    second.thaw()
    measured["continued: 200 after"] = await crowd.seconds_until_all_are_served()

    proxy.swallow()
    measured["packets lost: 503 after"] = await crowd.seconds_of_one_failure()
    proxy.pass_on()
    measured["packets arrive: 200 after"] = await crowd.seconds_until_all_are_served()
    print(processes, {name: round(seconds, 1) for name, seconds in measured.items()})  # noqa: T201
