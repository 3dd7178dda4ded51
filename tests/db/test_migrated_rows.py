"""Migrations that change rows: rows as earlier versions wrote them, and after the migration."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from alembic import command
from sqlalchemy import Connection, select, text, update

from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.migrate import upgrade_database
from chatapi.db.models import EventRow, StoredResponseRow
from tests import factories
from tests.db.test_migrations import alembic_config
from tests.factories import Person
from tests.features.messages.edit.editing import edit
from tests.features.messages.fetch.conversations import send_direct
from tests.support.apps import make_settings, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_success
from tests.support.servers import Servers

pytestmark = pytest.mark.slow

REGENERATE = "/users/me/api_key/regenerate"


@pytest.fixture
async def own_url(
    backend: str, servers: Servers, tmp_path: Path, worker_name: str
) -> AsyncIterator[str]:
    """A database of the test's own, whose tables no other test uses."""
    if backend == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'chat.sqlite3'}"
        return
    name = f"chatapi_migrated_{worker_name}"
    await servers.postgres.drop_database(name)
    await servers.postgres.create_database(name)
    yield servers.postgres.url_for(name)
    await servers.postgres.drop_database(name)


@pytest.fixture
async def settings(own_url: str, tmp_path: Path) -> Settings:
    database = Database(Settings(database_url=own_url))
    await upgrade_database(database)
    await database.close()
    return make_settings(own_url, tmp_path)


async def migrate(database: Database, revision: str) -> None:
    """Migrate the tables to an older or a newer revision."""

    def move(connection: Connection) -> None:
        config = alembic_config(connection)
        if revision == "head":
            command.upgrade(config, revision)
        else:
            command.downgrade(config, revision)

    async with database.engine.begin() as connection:
        await connection.run_sync(move)


@asynccontextmanager
async def service(settings: Settings, clock: MovableClock) -> AsyncIterator[ApiClient]:
    async with running_app(settings, clock) as app:
        client = ApiClient(app)
        yield client
        await client.aclose()


async def make_owner(settings: Settings, clock: MovableClock) -> Person:
    async with running_app(settings, clock) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        owner = await factories.make_user(app.runtime, realm, Role.OWNER)
        await factories.make_channel(app.runtime, realm, owner, "general", subscribers=[owner])
        return owner


class TestSecretsInStoredResponses:
    """0012: responses stored by earlier versions may hold API keys."""

    async def test_key_is_removed_from_stored_response_and_request_is_still_not_repeated(
        self, settings: Settings, clock: MovableClock
    ) -> None:
        owner = await make_owner(settings, clock)
        once, other = {"Idempotency-Key": "once"}, {"Idempotency-Key": "other"}
        snippet = {"title": "Snippet", "content": "Hello"}
        async with service(settings, clock) as client:
            answer = await client.call("POST", REGENERATE, owner, headers=once)
            key = str(assert_success(answer)["api_key"])
            owner = Person(owner.user_id, owner.email, key)
            answer = await client.call(
                "POST", "/saved_snippets", owner, data=snippet, headers=other
            )
            kept = assert_success(answer)
        database = Database(settings)
        # Earlier versions stored the key as well.
        with_secret = orjson.dumps({"api_key": key}).decode()
        change = update(StoredResponseRow).where(StoredResponseRow.response == "null")
        async with database.engine.begin() as connection:
            await connection.execute(change.values(response=with_secret))
        await migrate(database, "0011")
        assert with_secret in await column(database, "SELECT answer FROM given_answer")
        await migrate(database, "head")
        found = await column(database, "SELECT response FROM stored_response")
        assert len(found) == 2
        assert not any(key in answer for answer in found)
        async with service(settings, clock) as client:
            repeated = await client.call("POST", REGENERATE, owner, headers=once)
            assert repeated.status == 409
            answer = await client.call(
                "POST", "/saved_snippets", owner, data=snippet, headers=other
            )
            assert assert_success(answer) == kept
        # Before, every stored response was an object: others would be misread.
        await migrate(database, "0011")
        assert "null" not in await column(database, "SELECT answer FROM given_answer")
        await migrate(database, "head")
        await database.close()


async def column(database: Database, statement: str) -> list[Any]:
    """One column, read with the names of the revision that the database is at."""
    async with database.engine.connect() as connection:
        return list((await connection.execute(text(statement))).scalars())


class TestMessagesOfEvents:
    """0013: events of earlier versions are found by the message they quote."""

    async def test_earlier_events_refer_to_their_messages_again(
        self, settings: Settings, clock: MovableClock
    ) -> None:
        owner = await make_owner(settings, clock)
        async with service(settings, clock) as client:
            sent = assert_success(
                await client.post(
                    "/messages", owner, type="channel", to="general", topic="a", content="first"
                )
            )["id"]
            direct = await send_direct(client, owner, owner, content="second")
            assert_success(await edit(client, owner, sent, content="changed"))
            assert_success(await edit(client, owner, sent, topic="elsewhere"))
            assert_success(
                await client.post(f"/messages/{sent}/reactions", owner, emoji_name="tada")
            )
        database = Database(settings)
        numbered = select(EventRow.number, EventRow.name, EventRow.message_id).order_by(
            EventRow.number
        )
        async with database.engine.connect() as connection:
            before = [tuple(row) for row in await connection.execute(numbered)]
        await migrate(database, "0012")
        await migrate(database, "head")
        async with database.engine.connect() as connection:
            after = [tuple(row) for row in await connection.execute(numbered)]
        await database.close()
        assert after == before
        quoting = [(name, message_id) for _, name, message_id in after if message_id is not None]
        # The last one is the notice about the move; the move itself changed no text.
        *others, (name, notice) = quoting
        assert others == [("message", sent), ("message", direct), ("update_message", sent)]
        assert name == "message"
        assert int(notice) > direct


class TestTablesNamedAsTheirRecords:
    """0018: read positions, past roles and stored responses survive the renaming, both ways."""

    async def test_rows_are_the_same_after_downgrade_and_upgrade(
        self, settings: Settings, clock: MovableClock
    ) -> None:
        owner = await make_owner(settings, clock)
        once = {"Idempotency-Key": "once"}
        snippet = {"title": "Snippet", "content": "Hello"}
        async with service(settings, clock) as client:
            first = await client.call("POST", "/saved_snippets", owner, data=snippet, headers=once)
            read = await send_direct(client, owner, owner, content="read")
            assert_success(
                await client.post("/messages/flags", owner, messages=[read], op="add", flag="read")
            )
            assert_success(await client.post("/mark_all_as_read", owner))
            person = {"email": "ada@example.com", "full_name": "Ada", "password": "correct horse"}
            user_id = assert_success(await client.post("/users", owner, **person))["user_id"]
            assert_success(await client.patch(f"/users/{user_id}", owner, role=Role.MODERATOR))
        database = Database(settings)
        await migrate(database, "0017")
        assert len(await column(database, "SELECT answer FROM given_answer")) == 1
        assert await column(database, "SELECT message_id FROM read_floor") == [read]
        earlier = await column(
            database, "SELECT id FROM account WHERE earlier_standings IS NOT NULL"
        )
        assert earlier == [user_id]
        await migrate(database, "head")
        past = await column(database, "SELECT id FROM account WHERE past_roles IS NOT NULL")
        assert past == [user_id]
        await database.close()
        async with service(settings, clock) as client:
            again = await client.call("POST", "/saved_snippets", owner, data=snippet, headers=once)
            assert assert_success(again) == assert_success(first)
            state = assert_success(
                await client.post(
                    "/register", owner, fetch_event_types=["message", "update_message_flags"]
                )
            )
            assert state["unread_msgs"]["count"] == 0
