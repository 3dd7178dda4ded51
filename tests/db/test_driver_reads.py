"""Statements that run directly on the driver: the same rows and errors, in the same transaction."""

import logging

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, bindparam, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.id_lists import is_one_of, joined_ids, split_ids
from chatapi.db.models import AlertWord, Realm, User
from chatapi.db.session import DatabaseSession
from tests import factories
from tests.support.opened_database import opened_database
from tests.support.statements import recorded_statements

ONE = select(Realm.id, Realm.name).where(Realm.name == bindparam("name", type_=Realm.name.type))
COUNT = select(func.count()).select_from(Realm)
_missing = Table("missing_table", MetaData(), Column("id", Integer))
FAILING = select(_missing.c.id)
BACKEND_PID = select(func.pg_backend_pid())


async def count_realms(db: DatabaseSession) -> int:
    [(count,)] = await db.fetch(COUNT)
    return int(count)


class TestRows:
    async def test_are_those_of_execute_whatever_their_types(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        """Times, enums, JSON, truth values and nothing: the databases store some as others."""
        await factories.make_user(runtime, realm, role=Role.ADMIN)
        statement = (
            select(
                User.id,
                User.full_name,
                User.role,
                User.date_joined,
                User.is_active,
                User.bot_type,
                User.settings,
                Realm.settings,
                func.max(User.date_joined).over(),
            )
            .join(Realm, Realm.id == User.realm_id)
            .order_by(User.id)
        )
        async with DatabaseSession(runtime.database) as db:
            executed = [tuple(row) for row in await db.execute(statement)]
            fetched = [tuple(row) for row in await db.fetch(statement)]
        assert fetched == executed
        assert [type(each) for each in fetched[-1]] == [type(each) for each in executed[-1]]

    async def test_are_selected_by_values_of_any_type(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        admin = await factories.make_user(runtime, realm, role=Role.ADMIN)
        joined = select(User.id).where(
            User.role == bindparam("role"),
            User.date_joined <= bindparam("now"),
            User.is_active == bindparam("is_active"),
            is_one_of(User.id, "user_ids"),
            # A value that is part of the statement.
            User.role != Role.GUEST,
        )
        values = {
            "role": Role.ADMIN,
            "now": runtime.clock.now(),
            "is_active": True,
            "user_ids": [admin.user_id, admin.user_id + 1],
        }
        async with DatabaseSession(runtime.database) as db:
            assert [tuple(row) for row in await db.fetch(joined, values)] == [(admin.user_id,)]
            values["role"] = Role.MODERATOR
            assert [*await db.fetch(joined, values)] == []

    async def test_may_have_ids_joined_to_one_text(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        users = [await factories.make_user(runtime, realm) for _ in range(3)]
        wanted = {user.user_id for user in users}
        statement = select(joined_ids(User.id)).where(is_one_of(User.id, "user_ids"))
        async with DatabaseSession(runtime.database) as db:
            [(ids,)] = await db.fetch(statement, {"user_ids": [*wanted]})
            assert sorted(split_ids(ids)) == sorted(wanted)
            [(ids,)] = await db.fetch(statement, {"user_ids": []})
            assert split_ids(ids) == []


class TestState:
    async def test_without_a_snapshot_is_the_latest(self, runtime: Runtime) -> None:
        async with DatabaseSession(runtime.database) as db:
            assert await count_realms(db) == 0
            await factories.make_realm(runtime)
            assert await count_realms(db) == 1

    async def test_in_a_snapshot_is_that_of_its_first_statement(self, runtime: Runtime) -> None:
        async with DatabaseSession(runtime.database) as db:
            await db.snapshot()
            assert await count_realms(db) == 0
            await factories.make_realm(runtime)
            assert await count_realms(db) == 0
            assert (await db.execute(COUNT)).scalar_one() == 0
            assert await count_realms(db) == 0
            await db.snapshot()
            assert await count_realms(db) == 1

    async def test_in_a_transaction_includes_what_it_has_written(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        user = await factories.make_user(runtime, realm)
        words = select(AlertWord.word)
        word = {"user_id": user.user_id, "realm_id": realm.id, "word_key": "tea", "word": "Tea"}
        async with DatabaseSession(runtime.database) as db:
            await db.write()
            await db.execute(insert(AlertWord), [word])
            assert [tuple(row) for row in await db.fetch(words)] == [("Tea",)]
        async with DatabaseSession(runtime.database) as db:
            assert [*await db.fetch(words)] == []


class TestErrors:
    @pytest.mark.parametrize("in_snapshot", [False, True])
    async def test_are_errors_of_the_statement_after_which_a_session_can_begin_again(
        self, runtime: Runtime, in_snapshot: bool
    ) -> None:
        async with DatabaseSession(runtime.database) as db:
            if in_snapshot:
                await db.snapshot()
                await count_realms(db)
            with pytest.raises(Exception, match="missing_table") as raised:
                await db.fetch(FAILING)
            assert is_unavailable(raised.value) == runtime.database.is_sqlite
            await db.close()
            assert await count_realms(db) == 0

    @pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
    async def test_of_sqlite_are_those_that_execute_raises(self, runtime: Runtime) -> None:
        async with DatabaseSession(runtime.database) as db:
            with pytest.raises(DBAPIError) as executed:
                await db.execute(FAILING)
            with pytest.raises(DBAPIError) as fetched:
                await db.fetch(FAILING)
        assert type(fetched.value) is type(executed.value)
        assert fetched.value.orig is not None
        assert str(fetched.value.orig) == str(executed.value.orig)

    async def test_list_that_changes_the_text_of_the_statement_is_refused(
        self, runtime: Runtime
    ) -> None:
        listed = select(Realm.id).where(Realm.id.in_(bindparam("ids", expanding=True)))
        async with DatabaseSession(runtime.database) as db:
            with pytest.raises(ValueError, match="is_one_of"):
                await db.fetch(listed, {"ids": [1]})

    @pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
    @pytest.mark.parametrize("in_snapshot", [False, True])
    async def test_of_a_lost_connection_say_so_and_the_connection_is_discarded(
        self, settings: Settings, in_snapshot: bool
    ) -> None:
        async with opened_database(settings) as database:
            async with DatabaseSession(database) as db:
                if in_snapshot:
                    await db.snapshot()
                [(pid,)] = await db.fetch(BACKEND_PID)
                await end_connection(database, pid)
                with pytest.raises(Exception) as raised:  # noqa: PT011 (the driver has several)
                    await db.fetch(COUNT)
                assert is_unavailable(raised.value)
            async with DatabaseSession(database) as db:
                assert [tuple(row) for row in await db.fetch(BACKEND_PID)] != [(pid,)]


async def end_connection(database: Database, pid: int) -> None:
    async with DatabaseSession(database) as other:
        ending = text("SELECT pg_terminate_backend(:pid, 5000)")
        assert (await other.execute(ending, {"pid": pid})).scalar_one()


class TestLog:
    @pytest.mark.parametrize("in_snapshot", [False, True])
    async def test_statements_are_logged_counted_and_traced_as_others_are(
        self, settings: Settings, caplog: pytest.LogCaptureFixture, in_snapshot: bool
    ) -> None:
        # One whose statements no job of a running service adds to.
        async with opened_database(settings) as database, DatabaseSession(database) as db:
            if in_snapshot:
                await db.snapshot()
                await count_realms(db)
            before = database.round_trips
            with (
                caplog.at_level(logging.INFO, "sqlalchemy.engine.Engine"),
                recorded_statements(database, "realm.name") as statements,
            ):
                await db.fetch(ONE, {"name": "Acme"})
            assert database.round_trips == before + 1
            assert len(statements) == 1
            assert [each.message for each in caplog.records if "on the driver" in each.message] == [
                f"{statements[0]}\n[on the driver] ['Acme']"
            ]
