"""Every SQL statement on presence."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Executable, bindparam, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite

from chatapi.auth.users import UserRecord, user_records
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import RealmId, UserId
from chatapi.db.driver_statements import ReadStatement
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Presence, PresenceClock, User
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert
from chatapi.db.user_facts import REALM_OF_USER, UserFact
from chatapi.features.users.presence.rules import NEVER_SEEN, LastSeen

_SEEN = (Presence.active_at, Presence.idle_at, Presence.is_hidden)
_OF_USER = select(*_SEEN).where(Presence.user_id == bindparam("user_id"))
_OF_SOME = select(Presence.user_id, *_SEEN).where(is_one_of(Presence.user_id, "user_ids"))
_IS_HERE = (
    Presence.realm_id == bindparam("realm_id"),
    User.is_active,
)
_OF_REALM = (
    select(Presence.user_id, *_SEEN).join(User, User.id == Presence.user_id).where(*_IS_HERE)
)
_CHANGED = _OF_REALM.where(Presence.update_id > bindparam("update_id"))
_HIDDEN = _OF_REALM.where(Presence.is_hidden)
_PEOPLE = (
    user_records.select()
    .add_columns(Presence.update_id, *_SEEN)
    .join(Presence, User.id == Presence.user_id)
    .where(*_IS_HERE)
)
_RECENT_PEOPLE = _PEOPLE.where(Presence.idle_at >= bindparam("since"))
_CHANGED_PEOPLE = _PEOPLE.where(Presence.update_id > bindparam("update_id"))
_CLOCK = select(PresenceClock.last_update_id).where(PresenceClock.realm_id == bindparam("realm_id"))
_last_update = UserFact[int | None](
    select(PresenceClock.last_update_id)
    .where(PresenceClock.realm_id == REALM_OF_USER)
    .scalar_subquery()
)
_some_people = (
    select(literal(1))
    .where(User.realm_id == bindparam("realm_id"), User.is_active, User.bot_type.is_(None))
    .limit(bindparam("limit"))
    .subquery()
)
_COUNT_PEOPLE = select(func.count()).select_from(_some_people)


@cache
def _move_clock(*, is_sqlite: bool) -> Executable:
    insert = sqlite.insert if is_sqlite else postgresql.insert
    statement = insert(PresenceClock).values(
        realm_id=bindparam("realm_id"), last_update_id=bindparam("steps")
    )
    moved = PresenceClock.last_update_id + statement.excluded.last_update_id
    return statement.on_conflict_do_update(
        index_elements=[PresenceClock.realm_id], set_={"last_update_id": moved}
    ).returning(PresenceClock.last_update_id)


class SeenPerson(NamedTuple):
    """A user with the last change of their presence."""

    user: UserRecord
    update_id: int
    seen: LastSeen


def _read_person(row: Sequence[Any]) -> SeenPerson:
    *user, update_id, active_at, idle_at, is_hidden = row
    return SeenPerson(user_records.read(user), update_id, LastSeen(active_at, idle_at, is_hidden))


class PresenceRepository:
    """Presence of the users of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def take_update_ids(self, count: int) -> int:
        """Take `count` new numbers, and return the last; other writers wait until the commit."""
        rows = await self._db.execute(
            _move_clock(is_sqlite=self._db.database.is_sqlite),
            {"realm_id": self._realm_id, "steps": count},
        )
        last: int = rows.scalar_one()
        return last

    async def last_update_id(self, reader_id: UserId) -> int | None:
        """Everything up to this number can be read; None: no user was ever seen."""
        if self._db.as_of is not None:
            return await _last_update.read(self._db, reader_id)
        rows = await self._db.fetch(_CLOCK, {"realm_id": self._realm_id})
        return rows[0][0] if rows else None

    async def get(self, user_id: UserId) -> LastSeen:
        rows = await self._db.execute(_OF_USER, {"user_id": user_id})
        row = rows.one_or_none()
        return NEVER_SEEN if row is None else LastSeen(*row)

    async def list_some(self, user_ids: Collection[UserId]) -> dict[UserId, LastSeen]:
        return await self._list(_OF_SOME, user_ids=list(user_ids))

    async def list_changed(self, update_id: int) -> dict[UserId, LastSeen]:
        """Users whose presence changed after a number, including those who hide it since."""
        return await self._list(_CHANGED, realm_id=self._realm_id, update_id=update_id)

    async def list_hidden(self) -> set[UserId]:
        """Users who hide their presence."""
        return set(await self._list(_HIDDEN, realm_id=self._realm_id))

    async def list_recent_people(self, since: datetime) -> list[SeenPerson]:
        """Users who were seen since a moment, except those who hide their presence."""
        return await self._list_people(_RECENT_PEOPLE, since=since)

    async def list_changed_people(self, update_id: int) -> list[SeenPerson]:
        """Users whose presence changed after a number, including those who hide it since."""
        return await self._list_people(_CHANGED_PEOPLE, update_id=update_id)

    async def _list_people(self, statement: ReadStatement, **values: object) -> list[SeenPerson]:
        rows = await self._db.fetch(statement, {"realm_id": self._realm_id, **values})
        return await map_in_steps(_read_person, rows)

    async def count_people(self, limit: int) -> int:
        """How many active users there are, counting up to a limit."""
        rows = await self._db.execute(_COUNT_PEOPLE, {"realm_id": self._realm_id, "limit": limit})
        return rows.scalar_one()

    async def replace(self, changed: Mapping[UserId, LastSeen], last_update_id: int) -> None:
        """Write changes, under the taken numbers that end with the given one."""
        rows: list[dict[str, object]] = [
            {
                "user_id": user_id,
                "realm_id": self._realm_id,
                "update_id": last_update_id - place,
                "active_at": seen.active_at,
                "idle_at": seen.idle_at,
                "is_hidden": seen.is_hidden,
            }
            for place, (user_id, seen) in enumerate(changed.items())
        ]
        await upsert(self._db, Presence, rows)

    async def _list(self, statement: ReadStatement, **values: object) -> dict[UserId, LastSeen]:
        rows = await self._db.fetch(statement, values)
        return {UserId(user_id): LastSeen(*seen) for user_id, *seen in rows}
