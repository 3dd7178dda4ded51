"""Rows and changes that are written together."""

from sqlalchemy import select, update

from chatapi.auth.realms import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.many_rows import RowsWithChanges
from chatapi.db.models import EventRow, RealmClock
from chatapi.db.session import DatabaseSession
from tests import factories

WRITE = RowsWithChanges(
    EventRow,
    ["realm_id", "number", "name", "audience", "body", "created_at"],
    lambda new: (
        update(RealmClock).where(RealmClock.realm_id == new["realm"]).values(log_floor=new["floor"])
    ),
    ["realm", "floor"],
)


async def test_all_rows_and_all_changes_are_written(runtime: Runtime, realm: RealmRecord) -> None:
    other = await factories.make_realm(runtime, "Other")
    now = runtime.clock.now()
    rows = [
        {
            "realm_id": realm.id,
            "number": 1_000 + number,
            "name": "heartbeat",
            "audience": '{"kind": "nobody"}',
            "body": f'{{"it\'s": "{number}, \\u00e9"}}',
            "created_at": now,
        }
        for number in range(3)
    ]
    changes = [{"realm": realm.id, "floor": 7}, {"realm": other.id, "floor": 8}]
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await WRITE.write(db, rows, changes)
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
