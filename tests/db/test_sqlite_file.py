"""A SQLite file deleted or replaced under a running server: no write is acknowledged."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.db.sqlite_file import DatabaseFileLostError
from tests.factories import MakeChannel, Person
from tests.support.client import ApiClient
from tests.support.databases import SqliteTemplate, WorkerSqlite
from tests.support.listening import Listener, listen
from tests.support.log_lines import collected_log
from tests.support.opened_database import opened_database
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.sample_events import Noted, append
from tests.support.waiting import MAX_WAIT_SECONDS, until, until_polls_wait

UNAVAILABLE = ("SERVICE_UNAVAILABLE", 503)


@pytest.fixture
def backend() -> str:
    return "sqlite"


@pytest.fixture
def file(sqlite_database: WorkerSqlite) -> Path:
    return sqlite_database.path


def delete(file: Path, template: SqliteTemplate) -> None:
    del template
    file.unlink()


def replace(file: Path, template: SqliteTemplate) -> None:
    other = file.with_name("other.sqlite3")
    shutil.copy(template.path, other)
    other.rename(file)


def move(file: Path, to: Path) -> None:
    file.rename(to)


def contents(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


@pytest.fixture(params=[delete, replace])
def lose(request: pytest.FixtureRequest, file: Path, sqlite_template: SqliteTemplate) -> Any:
    return lambda: request.param(file, sqlite_template)


@pytest.fixture
async def listener(client: ApiClient, member: Person) -> Listener:
    return await listen(client, member, event_types=["test_note"])


async def ready(client: ApiClient) -> ApiResponse:
    return client.read(await client.http.get("/ready"))


class TestLostFile:
    async def test_every_request_is_refused(
        self,
        client: ApiClient,
        owner: Person,
        make_channel: MakeChannel,
        listener: Listener,
        lose: Any,
    ) -> None:
        channel = await make_channel("general", subscribers=[owner])
        message = {"type": "channel", "to": channel.id, "topic": "t", "content": "hello"}
        assert_success(await client.post("/messages", owner, **message))
        assert_success(await client.get("/server_settings"))
        lose()
        assert_error(await client.post("/messages", owner, **message), *UNAVAILABLE)
        assert_error(await client.get("/users/me", owner), *UNAVAILABLE)
        assert_error(await client.get("/server_settings"), *UNAVAILABLE)
        assert_error(await client.post("/register", owner), *UNAVAILABLE)
        assert_error(await listener.poll(dont_block=True), *UNAVAILABLE)

    async def test_ready_reports_it_and_health_does_not(self, client: ApiClient, lose: Any) -> None:
        assert_success(await ready(client))
        lose()
        assert_error(await ready(client), *UNAVAILABLE, unavailable=["database", "database_file"])
        assert (await client.http.get("/health")).status_code == 200

    async def test_waiting_poll_is_refused(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, lose: Any
    ) -> None:
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        lose()
        assert_error(await asyncio.wait_for(poll, MAX_WAIT_SECONDS), *UNAVAILABLE)

    async def test_it_is_logged_once(self, runtime: Runtime, client: ApiClient, lose: Any) -> None:
        with collected_log() as entries:
            lose()
            await until(lambda: runtime.database.is_file_lost)
            for _ in range(3):
                await ready(client)
        told = [entry for entry in entries if entry["event"].startswith("database_file")]
        assert [entry["event"] for entry in told] == ["database_file_lost"]

    async def test_nothing_is_written_into_another_file(
        self, client: ApiClient, owner: Person, file: Path, sqlite_template: SqliteTemplate
    ) -> None:
        replace(file, sqlite_template)
        before = contents(file)
        assert_error(await client.post("/register", owner), *UNAVAILABLE)
        assert contents(file) == before

    async def test_no_file_is_made_in_its_place(
        self, client: ApiClient, owner: Person, file: Path, sqlite_template: SqliteTemplate
    ) -> None:
        delete(file, sqlite_template)
        assert_error(await client.post("/register", owner), *UNAVAILABLE)
        assert contents(file) is None

    async def test_new_connection_is_refused_and_makes_no_file(
        self, settings: Settings, file: Path, sqlite_template: SqliteTemplate
    ) -> None:
        async with opened_database(settings) as database:
            delete(file, sqlite_template)
            with pytest.raises(OperationalError, match="unable to open database file"):
                _ = await database.connect(database.engine)
        assert contents(file) is None

    async def test_new_connection_to_another_file_runs_no_statement(
        self, settings: Settings, file: Path, sqlite_template: SqliteTemplate
    ) -> None:
        """The first one would truncate memory that the open connections share."""
        async with opened_database(settings) as database:
            used = await database.connect(database.engine)
            await used.exec_driver_sql("SELECT 1 FROM realm")
            replace(file, sqlite_template)
            before = contents(file)
            with pytest.raises(DatabaseFileLostError):
                _ = await database.connect(database.engine)
            await used.exec_driver_sql("SELECT 1 FROM realm")
            await used.close()
            assert contents(file) == before

    async def test_transaction_is_not_acknowledged_if_the_file_is_lost_before_its_end(
        self, runtime: Runtime, realm: RealmRecord, lose: Any
    ) -> None:
        work = runtime.begin()
        try:
            await append(work.db, realm, Noted(text="a"), runtime.clock.now())
            lose()
            with pytest.raises(DatabaseFileLostError):
                await work.commit()
        finally:
            await work.db.close()

    async def test_file_that_is_put_back_is_served_again(
        self, client: ApiClient, owner: Person, file: Path
    ) -> None:
        away = file.with_name("away.sqlite3")
        move(file, away)
        assert_error(await client.get("/users/me", owner), *UNAVAILABLE)
        move(away, file)
        assert_success(await client.get("/users/me", owner))
        assert_success(await ready(client))
