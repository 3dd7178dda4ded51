"""A PostgreSQL that stops responding, fails over or loses connections.

A small proxy loses the packets. The monitor waits two seconds here, and three by default;
the bounds of time are those of a busy machine.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from typing_extensions import TypedDict

from chatapi.auth.guards import Anybody
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.pooled_connection import PooledConnection
from chatapi.db.session import DatabaseSession
from chatapi.http.route import API_PREFIX, FeatureRouter
from tests.factories import MakeChannel, Person
from tests.support.apps import make_settings
from tests.support.client import ApiClient, basic_auth
from tests.support.databases import WorkerPostgres
from tests.support.monitors import until_watched
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.tcp_proxy import TcpProxy, tcp_proxy, to_postgres
from tests.support.waiting import until_true

pytestmark = pytest.mark.slow

MAX_ANSWER_SECONDS = 20
SLEEP = text("SELECT pg_sleep(4)")

router = FeatureRouter("Tests")


class DonePayload(TypedDict):
    is_done: bool


@router.get("/test/long_statement")
async def run_long_statement(ctx: Anybody) -> DonePayload:
    """A statement that runs longer than the silence limit."""
    await ctx.db.execute(SLEEP)
    return {"is_done": True}


@router.post("/test/long_write")
async def run_long_write(ctx: Anybody) -> DonePayload:
    """Hold the organization's lock for as long."""
    await ctx.lock()
    await ctx.db.execute(SLEEP)
    return {"is_done": True}


@pytest.fixture
async def proxy(postgres_database: WorkerPostgres) -> AsyncIterator[TcpProxy]:
    async with tcp_proxy(to_postgres(make_url(postgres_database.url))) as proxy:
        yield proxy


@pytest.fixture
async def settings(postgres_database: WorkerPostgres, proxy: TcpProxy, tmp_path: Path) -> Settings:
    url = make_url(await postgres_database.empty())
    through = url.set(host="127.0.0.1", port=proxy.port, query={})
    return make_settings(
        through.render_as_string(hide_password=False), tmp_path, database_silence_seconds=2
    )


@pytest.fixture
async def is_watched(postgres_database: WorkerPostgres, member: Person) -> None:
    """Only then does the process detect connections that die without being closed."""
    del member  # creating it opens connections, and opening one starts the monitor
    await until_watched(make_url(postgres_database.url), 1, MAX_ANSWER_SECONDS)


@pytest.fixture
def extra_routes() -> tuple[FeatureRouter, ...]:
    return (router,)


async def statuses_of(client: ApiClient, person: Person) -> set[int]:
    """The statuses of reads and writes, more at the same time than there are connections."""
    reads = [("GET", "/users/me", {}), ("POST", "/register", {"event_types": '["message"]'})]
    writes = [("PATCH", "/settings", {"web_font_size_px": str(n)}) for n in range(12, 20)]
    async with asyncio.timeout(MAX_ANSWER_SECONDS):
        responses = await asyncio.gather(
            *(
                client.http.request(
                    method, f"{API_PREFIX}{path}", data=data, auth=basic_auth(person)
                )
                for method, path, data in (*reads * 6, *writes)
            )
        )
    assert all(response.json()["result"] in {"success", "error"} for response in responses)
    return {response.status_code for response in responses}


async def until_it_works(client: ApiClient, person: Person) -> None:
    async def works() -> bool:
        response = await client.http.get(f"{API_PREFIX}/users/me", auth=basic_auth(person))
        return response.status_code == 200

    await until_true(works, MAX_ANSWER_SECONDS)


@pytest.mark.usefixtures("is_watched")
async def test_lost_packets_end_in_503_and_all_works_once_they_arrive(
    client: ApiClient, member: Person, proxy: TcpProxy
) -> None:
    assert await statuses_of(client, member) == {200}
    proxy.swallow()
    assert await statuses_of(client, member) == {503}
    assert await statuses_of(client, member) == {503}
    ready = await client.http.get("/ready")
    assert (ready.status_code, ready.json()["unavailable"]) == (503, ["database"])
    proxy.pass_on()
    await until_it_works(client, member)
    assert await statuses_of(client, member) == {200}


@pytest.mark.usefixtures("is_watched")
async def test_connections_to_a_server_that_is_gone_are_replaced(
    client: ApiClient, member: Person, proxy: TcpProxy
) -> None:
    """A failover that closes no connection: the new server answers, the old one never does."""
    assert await statuses_of(client, member) == {200}
    proxy.silence_open_connections()
    await until_it_works(client, member)
    assert await statuses_of(client, member) == {200}


async def test_connections_that_were_reset_are_replaced_before_a_request_fails(
    client: ApiClient, member: Person, runtime: Runtime, proxy: TcpProxy
) -> None:
    assert await statuses_of(client, member) == {200}
    proxy.drop()
    await until_true(lambda: are_closed(runtime.database))
    assert await statuses_of(client, member) == {200}


async def are_closed(database: Database) -> bool:
    """Whether the process has noticed that all connections of its pool were reset."""
    assert database._postgres is not None
    return all(connection.is_closed() for connection in database._postgres._open)


async def test_refused_connections_end_in_503_and_all_works_once_they_are_accepted(
    client: ApiClient, member: Person, proxy: TcpProxy
) -> None:
    await proxy.refuse()
    assert await statuses_of(client, member) == {503}
    await proxy.listen()
    await until_it_works(client, member)
    assert await statuses_of(client, member) == {200}


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_statement_that_runs_longer_than_the_silence_limit_is_not_cancelled(
    client: ApiClient, realm: RealmRecord, method: str
) -> None:
    path = "/test/long_statement" if method == "GET" else "/test/long_write"
    assert_success(await client.call(method, path))


@pytest.mark.usefixtures("is_watched")
async def test_message_whose_acknowledgement_was_lost_is_sent_once(
    client: ApiClient, owner: Person, make_channel: MakeChannel, proxy: TcpProxy
) -> None:
    """Whether it was committed is unknown: the send is not acknowledged, and can be repeated."""
    channel = await make_channel(subscribers=[owner])
    message = {"type": "channel", "to": str(channel.id), "topic": "a", "content": "once"}

    async def send() -> ApiResponse:
        async with asyncio.timeout(MAX_ANSWER_SECONDS):
            return await client.call(
                "POST", "/messages", owner, data=message, headers={"Idempotency-Key": "one"}
            )

    # Warms up the caches, so that the next message is one statement.
    assert_success(await client.post("/messages", owner, **{**message, "content": "first"}))
    proxy.lose_answers()
    assert_error(await send(), "SERVICE_UNAVAILABLE", 503)
    await until_it_works(client, owner)
    sent = assert_success(await send())
    pages = await client.get("/messages", owner, anchor="newest", num_before=10, num_after=0)
    found = assert_success(pages)["messages"]
    assert [m["id"] for m in found if "once" in m["content"]] == [sent["id"]]


def silence(db: DatabaseSession, proxy: TcpProxy) -> None:
    """From here on the connection of a session gets neither responses nor a reset."""
    assert isinstance(db._state, PooledConnection)
    assert db._state.connection.sync_connection is not None
    driver = db._state.connection.sync_connection.connection.driver_connection
    assert driver is not None
    proxy.silence_connection_from(driver._transport.get_extra_info("sockname")[1])


@pytest.mark.usefixtures("is_watched")
async def test_connection_that_dies_alone_fails_soon_and_frees_its_lock(
    runtime: Runtime, realm: RealmRecord, proxy: TcpProxy
) -> None:
    """The monitor and all other connections keep working: only the server detects it."""
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        silence(db, proxy)
        async with asyncio.timeout(MAX_ANSWER_SECONDS):
            with pytest.raises(Exception) as caught:  # noqa: PT011 (asked about next)
                await db.execute(text("SELECT 1"))
    assert is_unavailable(caught.value)
    async with DatabaseSession(runtime.database) as db:
        # Waiting for a lock times out before the server ends an idle transaction.
        await db.lock_realm(realm.id)


@pytest.mark.usefixtures("is_watched")
async def test_commit_on_a_connection_that_died_alone_fails_soon(
    runtime: Runtime, realm: RealmRecord, proxy: TcpProxy
) -> None:
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        silence(db, proxy)
        async with asyncio.timeout(MAX_ANSWER_SECONDS):
            with pytest.raises(Exception) as caught:  # noqa: PT011 (asked about next)
                await db.commit()
    assert is_unavailable(caught.value)
