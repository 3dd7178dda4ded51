"""Kinds of rows that belong to users: which of them a user has, in one statement for all kinds.

Most users have neither drafts nor snippets nor muted users. A new client of theirs asks for all of
these, and would otherwise take a statement for each.
"""

from functools import lru_cache, partial
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, exists, select

from chatapi.core.ids import UserId
from chatapi.db.base import TableColumn
from chatapi.db.session import DatabaseSession

_OWNER: ColumnElement[int] = bindparam("owner_id", type_=BigInteger)
_kinds: list[ColumnElement[bool]] = []


class OwnedRows:
    """One kind of rows, made once by the module that has its statements.

    `owner` is the column with the id of the user, the first one of an index.
    """

    def __init__(self, owner: TableColumn[Any]) -> None:
        self._place = len(_kinds)
        _kinds.append(exists().where(owner == _OWNER))

    async def may_exist(self, db: DatabaseSession, user_id: UserId) -> bool:
        """Whether the user has any; only in a snapshot of a realm it is found out."""
        if db.as_of is None:
            # The other kinds are not asked for as well.
            return True
        found = await db.memoize(f"owned rows of {user_id}", partial(_read, db, user_id))
        return found[self._place]


async def _read(db: DatabaseSession, user_id: UserId) -> list[bool]:
    [found] = await db.fetch(_statement(len(_kinds)), {"owner_id": user_id})
    return list(found)


@lru_cache
def _statement(count: int) -> Select[*tuple[Any, ...]]:
    """For so many kinds: a module that is loaded later adds its own."""
    return select(*(kind.label(f"kind_{place}") for place, kind in enumerate(_kinds[:count])))
