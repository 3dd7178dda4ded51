"""Statements that remove a realm; which tables, and in which order, the foreign keys tell."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    ForeignKeyConstraint,
    FromClause,
    Table,
    UniqueConstraint,
    delete,
    exists,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.exc import IntegrityError

from chatapi.core.ids import QueueId, RealmId
from chatapi.db.models import EventQueueRow, EventRow, Realm, RealmClock, metadata
from chatapi.db.raw_tables import RawRow, is_after
from chatapi.db.session import DatabaseSession

_ROWS_AT_ONCE = 1_000
"""Per transaction: writers of other realms wait no longer than it takes to remove these."""
_REALM: Table = metadata.tables[Realm.__tablename__]
_CLOCK: Table = metadata.tables[RealmClock.__tablename__]
_EVENT: Table = metadata.tables[EventRow.__tablename__]
_REMOVED_LAST = (_REALM, _CLOCK)
"""Writers lock the clock, and processes follow it, until the realm itself is gone."""


class RealmRemover:
    """Removes the rows of one realm, those that refer to others first."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def begin(self, now: datetime) -> None:
        """Write that the deletion has begun; a repeated one keeps the first time."""
        await self._db.execute(
            update(Realm)
            .where(Realm.id == self._realm_id, Realm.deletion_began_at.is_(None))
            .values(deletion_began_at=now)
        )

    async def delete_queues(self) -> list[QueueId]:
        deleted = await self._db.execute(
            delete(EventQueueRow)
            .where(EventQueueRow.realm_id == self._realm_id)
            .returning(EventQueueRow.id)
        )
        return [QueueId(queue_id) for (queue_id,) in deleted]

    async def remove_rows(self) -> int:
        """Remove everything but the realm and its clock, in many transactions."""
        removed = 0
        for table in realm_tables():
            await self._forget_own_references(table)
            async for keys in self._list_keys(table):
                removed += await self._remove_some(table, keys)
        return removed

    async def remove_realm(self) -> bool:
        """Remove the realm with its clock; False if rows were added to it meanwhile."""
        try:
            async with self._db.transaction():
                for table in reversed(_REMOVED_LAST):
                    await self._db.execute(delete(table).where(is_of_realm(table, self._realm_id)))
        except IntegrityError:
            return False
        return True

    async def _list_keys(self, table: Table) -> AsyncIterator[Sequence[RawRow]]:
        """Yield the primary keys of the realm's rows, page by page in their order.

        Each page continues after the last one, so that the table is read once. It is read without
        the lock that removing takes: writers of other realms do not wait for the search.
        """
        columns = list(table.primary_key)
        page = (
            select(*columns)
            .where(is_of_realm(table, self._realm_id))
            .order_by(*columns)
            .limit(_ROWS_AT_ONCE)
        )
        statement = page
        while True:
            keys = (await self._db.execute(statement)).all()
            if not keys:
                return
            yield keys
            statement = page.where(is_after(columns, keys[-1]))

    async def _remove_some(self, table: Table, keys: Sequence[RawRow]) -> int:
        is_chosen = tuple_(*table.primary_key).in_([tuple(key) for key in keys])
        try:
            async with self._db.transaction():
                if table is _EVENT:
                    # Feeds that have not read these events see a gap: they do not wait for them.
                    await self._db.execute(
                        update(RealmClock)
                        .where(RealmClock.realm_id == self._realm_id)
                        .values(log_floor=RealmClock.last_event)
                    )
                removed = await self._db.execute(delete(table).where(is_chosen))
        except IntegrityError:
            # A row that refers to one of these was just added: the next pass removes it first.
            return 0
        return removed.rowcount

    async def _forget_own_references(self, table: Table) -> None:
        """Clear references within a table: its rows are removed in parts, in any order."""
        for column in table.columns:
            if column.nullable and any(key.column.table is table for key in column.foreign_keys):
                async with self._db.transaction():
                    await self._db.execute(
                        update(table)
                        .where(is_of_realm(table, self._realm_id), column.is_not(None))
                        .values({column: None})
                    )


def realm_tables() -> list[Table]:
    """All tables whose rows belong to a realm, referring ones first; without realm and clock."""
    return [
        table
        for table in reversed(metadata.sorted_tables)
        if table not in _REMOVED_LAST and _distance(table) is not None
    ]


def is_of_realm(table: Table, realm_id: RealmId) -> ColumnElement[bool]:
    """Whether a row belongs to a realm, by the foreign keys that lead there."""
    return _is_of_realm(table, table, realm_id)


def _is_of_realm(table: Table, row: FromClause, realm_id: RealmId) -> ColumnElement[bool]:
    """The same for a row of the table that may have another name in the statement."""
    if table is _REALM:
        return row.c.id == realm_id
    return or_(*(_refers_to_realm(key, row, realm_id) for key in _telling_keys(table)))


def _refers_to_realm(
    key: ForeignKeyConstraint, row: FromClause, realm_id: RealmId
) -> ColumnElement[bool]:
    column, parent = row.c[key.columns[0].name], key.referred_table
    if parent is _REALM:
        return column == realm_id
    # Asked of one row at a time: a list of all messages would be made anew for every page.
    other = parent.alias()
    is_parent = other.c[key.elements[0].column.name] == column
    return exists().where(is_parent, _is_of_realm(parent, other, realm_id))


def _telling_keys(table: Table) -> list[ForeignKeyConstraint]:
    """The foreign keys that tell to which realm a row belongs.

    One that every row has, which leads there in the fewest steps and for which there is an index;
    else all of them, since a row has only some.
    """
    keys = [
        key
        for key in sorted(table.foreign_key_constraints, key=lambda key: key.columns[0].name)
        if key.referred_table is not table and _distance(key.referred_table) is not None
    ]
    required = [key for key in keys if not key.columns[0].nullable]
    if not required:
        return keys
    return [min(required, key=lambda key: (_distance(key.referred_table), not _is_indexed(key)))]


def _distance(table: Table) -> int | None:
    """How many foreign keys lead from a table to the realm; None if none do."""
    if table is _REALM:
        return 0
    steps = [_distance(key.referred_table) for key in _telling_keys(table)]
    return min((1 + step for step in steps if step is not None), default=None)


def _is_indexed(key: ForeignKeyConstraint) -> bool:
    """Whether rows are found by the key without reading the whole table."""
    table = key.table
    unique = [each for each in table.constraints if isinstance(each, UniqueConstraint)]
    starts = [next(iter(each.columns), None) for each in (table.primary_key, *unique)]
    starts += [next(iter(index.columns), None) for index in table.indexes]
    return any(start is key.columns[0] for start in starts)
