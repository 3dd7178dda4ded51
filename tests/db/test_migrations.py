"""Migrations: the same tables as the models, on both databases, however many start together."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from unicodedata import normalize

import pytest
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, insert, inspect, select
from sqlalchemy.ext.asyncio import AsyncConnection

from chatapi.core.roles import EmailVisibility, Role
from chatapi.core.settings import Settings
from chatapi.db.base import Base
from chatapi.db.database import Database
from chatapi.db.migrate import pending_changes, upgrade_database
from chatapi.db.models import Channel, Realm, User, UserTopic
from chatapi.db.search import is_of_models
from tests.support.server_process import PROJECT, inherited_environment
from tests.support.servers import Servers

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_numbers = count(1)


@pytest.fixture
async def empty_url(
    backend: str, servers: Servers, tmp_path: Path, worker_name: str
) -> AsyncIterator[str]:
    """A database without tables."""
    if backend == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'new' / 'chat.sqlite3'}"
        return
    name = f"chatapi_migrations_{worker_name}"
    await servers.postgres.drop_database(name)
    await servers.postgres.create_database(name)
    yield servers.postgres.url_for(name)
    await servers.postgres.drop_database(name)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    database = Database(Settings(database_url=url))
    try:
        yield database
    finally:
        await database.close()


async def tables(database: Database) -> set[str]:
    async with database.engine.connect() as connection:
        names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    return {name for name in names if is_of_models(name, "table")}


def alembic_config(connection: Connection | None = None) -> Config:
    config = Config(PROJECT / "alembic.ini")
    config.attributes["connection"] = connection
    return config


class TestUpgrade:
    async def test_creates_the_tables_of_the_models(self, empty_url: str) -> None:
        async with opened(empty_url) as database:
            assert await pending_changes(database) != []
            await upgrade_database(database)
            assert await pending_changes(database) == []
            assert await tables(database) == {*Base.metadata.tables, "alembic_version"}

    async def test_twice_changes_nothing(self, empty_url: str) -> None:
        async with opened(empty_url) as database:
            await upgrade_database(database)
            await upgrade_database(database)
            assert await pending_changes(database) == []

    async def test_by_several_connections_at_once(self, empty_url: str) -> None:
        async with opened(empty_url) as first, opened(empty_url) as second:
            await asyncio.gather(*(upgrade_database(each) for each in (first, second, first)))
            assert await pending_changes(second) == []

    @pytest.mark.slow
    async def test_by_several_processes_at_once(self, empty_url: str, tmp_path: Path) -> None:
        environment = {**inherited_environment(), "CHATAPI_DATABASE_URL": empty_url}
        processes = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "chatapi", "db", "upgrade"),
                cwd=tmp_path,
                env=environment,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            for _ in range(3)
        ]
        said = [await process.communicate() for process in processes]
        assert [process.returncode for process in processes] == [0, 0, 0], said
        async with opened(empty_url) as database:
            assert await pending_changes(database) == []


class TestDowngrade:
    async def test_once_and_up_again(self, empty_url: str) -> None:
        async with opened(empty_url) as database:
            await upgrade_database(database)
            async with database.engine.begin() as connection:
                await connection.run_sync(
                    lambda sync: command.downgrade(alembic_config(sync), "-1")
                )
            assert await pending_changes(database) != []
            await upgrade_database(database)
            assert await pending_changes(database) == []


class TestRolesOfBots:
    """0014: existing bots may have higher roles than their owners."""

    async def test_higher_bots_are_lowered_to_their_owners(self, empty_url: str) -> None:
        async with opened(empty_url) as database:
            await upgrade_database(database)
            async with database.engine.begin() as connection:
                realm_id = await _add_realm(connection)
                admin = await _add_user(connection, realm_id, role=Role.ADMIN)
                member = await _add_user(connection, realm_id, role=Role.MEMBER)
                newcomer = await _add_user(
                    connection, realm_id, role=Role.MEMBER, is_full_member=False
                )
                bot_ids = [
                    await _add_user(connection, realm_id, role=role, bot_owner_id=owner)
                    for owner, role in (
                        (admin, Role.OWNER),
                        (admin, Role.ADMIN),
                        (admin, Role.GUEST),
                        (member, Role.ADMIN),
                        (newcomer, Role.MEMBER),
                    )
                ]
            async with database.engine.begin() as connection:
                await connection.run_sync(_apply, "0014")
                rows = await connection.execute(
                    select(User.role, User.is_full_member)
                    .where(User.id.in_(bot_ids))
                    .order_by(User.id)
                )
                found = [tuple(row) for row in rows]
        assert found == [
            (Role.ADMIN, True),
            (Role.ADMIN, True),
            (Role.GUEST, True),
            (Role.MEMBER, True),
            (Role.MEMBER, False),
        ]


class TestNormalForm:
    """0016: names that were compared letter by letter."""

    async def test_keys_are_renewed_unless_they_are_taken(self, empty_url: str) -> None:
        decomposed = normalize("NFD", "café")
        async with opened(empty_url) as database:
            await upgrade_database(database)
            async with database.engine.begin() as connection:
                realm_id = await _add_realm(connection)
                first, *_ = [
                    await _add_channel(connection, realm_id, name=name, name_key=key)
                    for name, key in (
                        *((name, name) for name in ("ångström", "plain", decomposed, "café")),
                        ("Å", "a\u030a"),
                    )
                ]
                user_id = await _add_user(connection, realm_id, role=Role.MEMBER)
                for number, topic in enumerate(("café", decomposed)):
                    await connection.execute(
                        insert(UserTopic).values(
                            user_id=user_id,
                            channel_id=first,
                            topic=topic,
                            topic_key=topic,
                            visibility_policy=number,
                            last_updated=NOW + timedelta(days=number),
                        )
                    )
            async with database.engine.begin() as connection:
                await connection.run_sync(_apply, "0016")
                keys = await connection.execute(select(Channel.name_key).order_by(Channel.id))
                found = [key for (key,) in keys]
                topics = await connection.execute(
                    select(UserTopic.topic_key, UserTopic.visibility_policy)
                )
                chosen = [tuple(row) for row in topics]
        assert found == ["ångström", "plain", decomposed, "café", "å"]
        assert chosen == [("café", 1)]


def _apply(connection: Connection, revision: str) -> None:
    """Apply a migration's change of rows to the current tables."""
    script = ScriptDirectory.from_config(alembic_config()).get_revision(revision)
    with Operations.context(MigrationContext.configure(connection)):
        script.module.upgrade()


async def _add_realm(connection: AsyncConnection) -> int:
    values = {"name": "Acme", "subdomain": "acme", "uuid": "1", "date_created": NOW}
    return await _add(connection, Realm, settings={}, system_groups={}, **values)


async def _add_channel(connection: AsyncConnection, realm_id: int, **values: object) -> int:
    return await _add(
        connection,
        Channel,
        realm_id=realm_id,
        date_created=NOW,
        settings={},
        description="",
        rendered_description="",
        invite_only=False,
        is_web_public=False,
        is_archived=False,
        history_public_to_subscribers=True,
        is_default=True,
        topics_policy="inherit",
        subscriber_count=0,
        default_push_notifications=False,
        **values,
    )


async def _add_user(connection: AsyncConnection, realm_id: int, **values: object) -> int:
    email = f"{next(_numbers)}@example.com"
    common = {
        "realm_id": realm_id,
        "delivery_email": email,
        "email_key": email,
        "full_name": "Somebody",
        "date_joined": NOW,
        "timezone": "",
        "is_active": True,
        "is_imported_stub": False,
        "is_full_member": True,
        "email_visibility": EmailVisibility.EVERYONE,
        "avatar_version": 1,
        "settings": {},
    }
    return await _add(connection, User, **common | values)


async def _add(
    connection: AsyncConnection,
    table: type[Channel] | type[Realm] | type[User],
    **values: object,
) -> int:
    return (
        await connection.execute(insert(table).values(**values).returning(table.id))
    ).scalar_one()


class TestScripts:
    def test_there_is_one_head(self) -> None:
        assert len(ScriptDirectory.from_config(alembic_config()).get_heads()) == 1
