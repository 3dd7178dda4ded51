"""Facts about a user that the initial state of a client needs: one statement finds out all of them.

Most users have neither drafts nor snippets nor muted users. A new client of theirs asks for all of
these, and would otherwise take a statement for each.
"""

from functools import lru_cache, partial
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, exists, select

from chatapi.core.ids import UserId
from chatapi.db.base import TableColumn
from chatapi.db.models import User
from chatapi.db.session import DatabaseSession

T = TypeVar("T")

_USER: ColumnElement[int] = bindparam("user_id", type_=BigInteger)
REALM_OF_USER: ColumnElement[int] = select(User.realm_id).where(User.id == _USER).scalar_subquery()
"""For facts about the user's organization."""
_facts: list[ColumnElement[Any]] = []


class UserFact(Generic[T]):
    """One fact, made once by the module that has its statements."""

    def __init__(self, fact: ColumnElement[Any]) -> None:
        self._place = len(_facts)
        _facts.append(fact)

    async def read(self, db: DatabaseSession, user_id: UserId) -> T:
        """Find it out, in a snapshot of a realm, in which other facts are needed as well."""
        found = await db.memoize(f"facts of user {user_id}", partial(_read, db, user_id))
        return cast(T, found[self._place])


class OwnedRows:
    """Whether a user has rows of one kind.

    `owner` is the column with the id of the user, the first one of an index.
    """

    def __init__(self, owner: TableColumn[Any]) -> None:
        self._fact = UserFact[bool](exists().where(owner == _USER))

    async def may_exist(self, db: DatabaseSession, user_id: UserId) -> bool:
        """Whether the user has any; only in a snapshot of a realm it is found out."""
        return db.as_of is None or await self._fact.read(db, user_id)


async def _read(db: DatabaseSession, user_id: UserId) -> list[Any]:
    [found] = await db.fetch(_statement(len(_facts)), {"user_id": user_id})
    return list(found)


@lru_cache
def _statement(count: int) -> Select[*tuple[Any, ...]]:
    """For so many facts: a module that is loaded later adds its own."""
    return select(*(fact.label(f"fact_{place}") for place, fact in enumerate(_facts[:count])))
