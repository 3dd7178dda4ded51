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
from sqlalchemy import Connection, inspect, select
from sqlalchemy.ext.asyncio import AsyncSession

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
            admin, member, newcomer = (
                User(role=Role.ADMIN),
                User(role=Role.MEMBER),
                User(role=Role.MEMBER, is_full_member=False),
            )
            async with AsyncSession(database.engine) as session:
                realm_id = await _add_realm(session)
                await _add_users(session, realm_id, admin, member, newcomer)
                bots = [
                    User(role=role, bot_owner_id=owner.id)
                    for owner, role in (
                        (admin, Role.OWNER),
                        (admin, Role.ADMIN),
                        (admin, Role.GUEST),
                        (member, Role.ADMIN),
                        (newcomer, Role.MEMBER),
                    )
                ]
                await _add_users(session, realm_id, *bots)
                bot_ids = [bot.id for bot in bots]
                await session.commit()
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
            async with AsyncSession(database.engine) as session:
                realm_id = await _add_realm(session)
                channels = [
                    Channel(name=name, name_key=name)
                    for name in ("ångström", "plain", decomposed, "café")
                ]
                channels.append(Channel(name="Å", name_key="a\u030a"))
                await _add_channels(session, realm_id, *channels)
                users = [User(role=Role.MEMBER), User(role=Role.MEMBER)]
                await _add_users(session, realm_id, *users)
                for number, topic in enumerate(("café", decomposed)):
                    values = {"topic": topic, "topic_key": topic, "visibility_policy": number}
                    choice = {"user_id": users[0].id, "channel_id": channels[0].id, **values}
                    session.add(UserTopic(last_updated=NOW + timedelta(days=number), **choice))
                await session.commit()
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


async def _add_realm(session: AsyncSession) -> int:
    values = {"name": "Acme", "subdomain": "acme", "uuid": "1", "date_created": NOW}
    realm = Realm(settings={}, system_groups={}, **values)
    session.add(realm)
    await session.flush()
    return realm.id


async def _add_channels(session: AsyncSession, realm_id: int, *channels: Channel) -> None:
    for channel in channels:
        channel.realm_id, channel.date_created, channel.settings = realm_id, NOW, {}
        channel.description = channel.rendered_description = ""
        channel.invite_only = channel.is_web_public = channel.is_archived = False
        channel.history_public_to_subscribers = channel.is_default = True
        channel.topics_policy, channel.subscriber_count = "inherit", 0
        channel.default_push_notifications = False
        session.add(channel)
        await session.flush()


async def _add_users(session: AsyncSession, realm_id: int, *users: User) -> None:
    for user in users:
        email = f"{next(_numbers)}@example.com"
        user.realm_id, user.delivery_email, user.email_key = realm_id, email, email
        user.full_name, user.date_joined, user.timezone = "Somebody", NOW, ""
        user.is_active, user.is_imported_stub = True, False
        user.is_full_member = user.is_full_member is not False
        user.email_visibility, user.avatar_version, user.settings = EmailVisibility.EVERYONE, 1, {}
        session.add(user)
        await session.flush()


class TestScripts:
    def test_there_is_one_head(self) -> None:
        assert len(ScriptDirectory.from_config(alembic_config()).get_heads()) == 1
