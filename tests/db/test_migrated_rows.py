"""Migrations that change rows: rows as earlier versions wrote them, and after the migration."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
import pytest
from alembic import command
from sqlalchemy import Connection, select, update

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
        change = update(StoredResponseRow).where(StoredResponseRow.answer == "null")
        async with database.engine.begin() as connection:
            await connection.execute(change.values(answer=with_secret))
        await migrate(database, "0011")
        assert with_secret in await answers_kept(database)
        await migrate(database, "head")
        found = await answers_kept(database)
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
        assert "null" not in await answers_kept(database)
        await migrate(database, "head")
        await database.close()


async def answers_kept(database: Database) -> list[str]:
    async with database.engine.connect() as connection:
        return list((await connection.execute(select(StoredResponseRow.answer))).scalars())


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
