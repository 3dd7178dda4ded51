"""Sessions: reading, one snapshot, one transaction, and when connections are released."""

import asyncio

import pytest
from sqlalchemy import event, func, insert, select, text

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession
from tests import factories


async def count_realms(db: DatabaseSession) -> int:
    return (await db.execute(select(func.count()).select_from(Realm))).scalar_one()


@pytest.fixture
async def db(runtime: Runtime) -> DatabaseSession:
    return DatabaseSession(runtime.database)


def fail(_connection: object) -> None:
    raise LookupError


def open_connections(database: Database) -> int:
    return database.engine.pool.checkedout()  # type: ignore[attr-defined,no-any-return]  # a queue


class TestReading:
    async def test_holds_no_connection_before_the_first_statement(self, settings: Settings) -> None:
        # One that no job of a running service uses as well.
        database = Database(settings)
        async with DatabaseSession(database) as db:
            assert open_connections(database) == 0
            await count_realms(db)
            assert open_connections(database) == 1
        assert open_connections(database) == 0
        await database.close()

    async def test_sees_what_others_commit(self, runtime: Runtime, db: DatabaseSession) -> None:
        async with db:
            assert await count_realms(db) == 0
            await factories.make_realm(runtime)
            assert await count_realms(db) == 1


class TestSnapshot:
    async def test_stays_at_its_moment(self, runtime: Runtime, db: DatabaseSession) -> None:
        async with db:
            await db.snapshot()
            assert await count_realms(db) == 0
            await factories.make_realm(runtime)
            assert await count_realms(db) == 0
            await db.snapshot()
            assert await count_realms(db) == 1


class TestWriting:
    async def write(self, db: DatabaseSession) -> None:
        await db.write()
        await db.execute(text("UPDATE realm SET name = 'Changed'"))

    async def name(self, runtime: Runtime) -> str:
        async with DatabaseSession(runtime.database) as db:
            return (await db.execute(select(Realm.name))).scalar_one()

    async def test_is_undone_without_a_commit(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        async with db:
            await self.write(db)
        assert await self.name(runtime) == "Acme"

    async def test_is_kept_by_a_commit(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        async with db:
            await self.write(db)
            await db.commit()
            assert not db.is_writing
        assert await self.name(runtime) == "Changed"

    async def test_readers_do_not_wait_for_it(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        async with db:
            await self.write(db)
            assert await self.name(runtime) == "Acme"

    async def test_is_undone_when_the_request_is_cancelled(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        has_written = asyncio.Event()

        async def request() -> None:
            async with db:
                await self.write(db)
                has_written.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(request())
        await has_written.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert await self.name(runtime) == "Acme"
        async with DatabaseSession(runtime.database) as other:
            await self.write(other)
            await other.commit()
        assert await self.name(runtime) == "Changed"

    async def test_many_rows_are_one_statement(self, runtime: Runtime, db: DatabaseSession) -> None:
        rows = [
            {
                "subdomain": f"realm-{number}",
                "name": "x",
                "uuid": "",
                "date_created": runtime.clock.now(),
                "settings": {"number": number},
                "system_groups": {},
            }
            for number in range(500)
        ]
        async with db:
            await db.write()
            await db.execute(insert(Realm), rows)
            await db.commit()
            assert await count_realms(db) == 500


class TestTransaction:
    async def name(self, runtime: Runtime) -> str:
        async with DatabaseSession(runtime.database) as db:
            return (await db.execute(select(Realm.name))).scalar_one()

    async def test_is_committed_at_the_end_of_the_block(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        async with db.transaction():
            await db.execute(text("UPDATE realm SET name = 'Changed'"))
            assert await self.name(runtime) == "Acme"
        assert not db.is_writing
        assert await self.name(runtime) == "Changed"

    async def test_is_rolled_back_by_an_exception(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        async def write() -> None:
            async with db.transaction():
                await db.execute(text("UPDATE realm SET name = 'Changed'"))
                raise LookupError

        with pytest.raises(LookupError):
            await write()
        assert not db.is_writing
        assert await self.name(runtime) == "Acme"

    async def test_is_rolled_back_by_a_failed_commit(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        engine = runtime.database.engine.sync_engine
        event.listen(engine, "commit", fail)
        try:
            with pytest.raises(LookupError):
                async with db.transaction():
                    await db.execute(text("UPDATE realm SET name = 'Changed'"))
        finally:
            event.remove(engine, "commit", fail)
        async with db:
            # The pool hands out the connection that was used last.
            assert (await db.execute(select(Realm.name))).scalar_one() == "Acme"
            async with db.transaction():
                await db.execute(text("UPDATE realm SET name = 'Next'"))
        assert await self.name(runtime) == "Next"

    async def test_session_reads_again_after_it(
        self, runtime: Runtime, realm: RealmRecord, db: DatabaseSession
    ) -> None:
        async with db:
            async with db.transaction():
                await db.execute(text("UPDATE realm SET name = 'Changed'"))
            assert (await db.execute(select(Realm.name))).scalar_one() == "Changed"
            assert db.is_live


class TestLock:
    async def test_is_one_per_realm(self, runtime: Runtime, realm: RealmRecord) -> None:
        async with DatabaseSession(runtime.database) as db:
            assert not db.has_locked(realm.id)
            assert await db.lock_realm(realm.id) == 0
            assert await db.lock_realm(realm.id) == 0
            assert db.has_locked(realm.id)
