"""Rows and changes that are written together."""

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.bulk_writes import BulkInsertWithUpdates
from chatapi.db.models import EventRow, RealmClock
from chatapi.db.session import DatabaseSession
from tests import factories
from tests.support.statements import recorded_statements

WRITE = BulkInsertWithUpdates(
    EventRow,
    ["realm_id", "number", "name", "audience", "body", "created_at"],
    lambda new: (
        update(RealmClock).where(RealmClock.realm_id == new["realm"]).values(log_floor=new["floor"])
    ),
    ["realm", "floor"],
)


def row_of(runtime: Runtime, realm: RealmRecord, number: int) -> dict[str, object]:
    return {
        "realm_id": realm.id,
        "number": number,
        "name": "heartbeat",
        "audience": '{"kind": "nobody"}',
        "body": f'{{"it\'s": "{number}, \\u00e9"}}',
        "created_at": runtime.clock.now(),
    }


async def numbers_in_log(runtime: Runtime) -> list[int]:
    async with DatabaseSession(runtime.database) as db:
        rows = await db.execute(
            select(EventRow.number).where(EventRow.number >= 1_000).order_by(EventRow.number)
        )
        return [number for (number,) in rows]


async def test_all_rows_and_all_changes_are_written(runtime: Runtime, realm: RealmRecord) -> None:
    other = await factories.make_realm(runtime, "Other")
    now = runtime.clock.now()
    rows = [row_of(runtime, realm, 1_000 + number) for number in range(3)]
    changes = [{"realm": realm.id, "floor": 7}, {"realm": other.id, "floor": 8}]
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await db.queue_write(WRITE, rows, changes)
        written = await db.execute(
            select(EventRow.number, EventRow.body, EventRow.created_at)
            .where(EventRow.number >= 1_000)
            .order_by(EventRow.number)
        )
        assert [tuple(row) for row in written] == [
            (row["number"], row["body"], now) for row in rows
        ]
        floors = await db.execute(select(RealmClock.realm_id, RealmClock.log_floor))
        assert dict(floors.all()) == {realm.id: 7, other.id: 8}


async def test_are_written_with_the_commit_or_not_at_all(
    runtime: Runtime, realm: RealmRecord
) -> None:
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await db.queue_write(
            WRITE, [row_of(runtime, realm, 1_000)], [{"realm": realm.id, "floor": 1}]
        )
    assert await numbers_in_log(runtime) == []
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await db.queue_write(
            WRITE, [row_of(runtime, realm, 1_001)], [{"realm": realm.id, "floor": 1}]
        )
        await db.commit()
    assert await numbers_in_log(runtime) == [1_001]


async def test_the_last_change_of_a_row_counts(runtime: Runtime, realm: RealmRecord) -> None:
    """One statement would change the row once, to an undefined one of the values."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        for floor in range(5):
            row = row_of(runtime, realm, 1_000 + floor)
            await db.queue_write(WRITE, [row], [{"realm": realm.id, "floor": floor}])
        await db.commit()
        [floor] = (await db.execute(select(RealmClock.log_floor))).scalars()
        assert floor == 4
    assert await numbers_in_log(runtime) == [1_000, 1_001, 1_002, 1_003, 1_004]


async def test_many_rows_are_written_in_slices_and_their_changes_once(
    runtime: Runtime, realm: RealmRecord
) -> None:
    numbers = list(range(1_000, 1_250))
    rows = [row_of(runtime, realm, number) for number in numbers]
    with recorded_statements(runtime.database, "event") as statements:
        async with DatabaseSession(runtime.database) as db:
            await db.write()
            await db.queue_write(WRITE, rows, [{"realm": realm.id, "floor": 7}])
            await db.commit()
            [floor] = (await db.execute(select(RealmClock.log_floor))).scalars()
    assert floor == 7
    assert await numbers_in_log(runtime) == numbers
    inserts = [each for each in statements if "INSERT" in each]
    # SQLite runs all slices in one call of its driver.
    assert len(inserts) == (1 if runtime.database.is_sqlite else 3)


async def test_row_that_exists_fails_without_naming_its_values(
    runtime: Runtime, realm: RealmRecord
) -> None:
    twice = [row_of(runtime, realm, 1_000), row_of(runtime, realm, 1_000)]
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await db.queue_write(WRITE, twice, [{"realm": realm.id, "floor": 7}])
        with pytest.raises(IntegrityError) as raised:
            await db.commit()
    assert "INSERT INTO event" in str(raised.value)
    # They may be texts of users, and errors are logged.
    assert "it's" not in str(raised.value)
    assert await numbers_in_log(runtime) == []


async def test_are_refused_without_a_transaction(runtime: Runtime, realm: RealmRecord) -> None:
    """They would be written later, in a transaction that may have nothing to do with them."""
    async with DatabaseSession(runtime.database) as db:
        await db.execute(select(RealmClock.log_floor))
        with pytest.raises(RuntimeError, match="begin a transaction"):
            await db.queue_write(WRITE, [row_of(runtime, realm, 1_000)])
