"""Answers kept for a day, so that a request that was repeated is carried out once."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from chatapi.core.ids import UserId
from chatapi.db.many_rows import NewRows
from chatapi.db.models import GivenAnswer
from chatapi.db.session import DatabaseSession


@dataclass(frozen=True)
class Request:
    """A request that has a name: the same name again means the same request again."""

    user_id: UserId
    key: str
    digest: str
    """Of what was asked."""

    @classmethod
    def named(cls, user_id: UserId, name: Sequence[str], content: Iterable[str]) -> "Request":
        return cls(user_id, _digest(name), _digest(content))


@dataclass(frozen=True)
class Given:
    """The answer somebody got, and to what."""

    digest: str
    answer: str


def _digest(parts: Iterable[str]) -> str:
    # The length says where each part ends: no two lists give the same text.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()


_FIND = select(GivenAnswer.request, GivenAnswer.answer).where(
    GivenAnswer.user_id == bindparam("user_id"), GivenAnswer.key == bindparam("key")
)
_KEEP_IN_SQLITE = sqlite.insert(GivenAnswer).on_conflict_do_nothing().returning(GivenAnswer.key)
_KEEP_IN_POSTGRES = (
    postgresql.insert(GivenAnswer).on_conflict_do_nothing().returning(GivenAnswer.key)
)
_KEEP_MANY = NewRows(GivenAnswer, ["user_id", "key", "request", "answer", "created_at"])


class GivenAnswers:
    """The statements on given answers."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def find(self, request: Request) -> Given | None:
        rows = await self._db.execute(_FIND, {"user_id": request.user_id, "key": request.key})
        row = rows.one_or_none()
        return None if row is None else Given(*row)

    async def find_many(self, requests: Iterable[Request]) -> dict[tuple[UserId, str], Given]:
        """By user and key."""
        wanted = {(request.user_id, request.key) for request in requests}
        rows = await self._db.execute(
            select(
                GivenAnswer.user_id, GivenAnswer.key, GivenAnswer.request, GivenAnswer.answer
            ).where(tuple_(GivenAnswer.user_id, GivenAnswer.key).in_(list(wanted)))
        )
        return {(UserId(row[0]), row[1]): Given(row[2], row[3]) for row in rows}

    async def keep(self, request: Request, answer: str, now: datetime) -> bool:
        """Call in the transaction that the answer tells about; False if one was given before."""
        rows = await self._db.execute(
            _KEEP_IN_SQLITE if self._db.database.is_sqlite else _KEEP_IN_POSTGRES,
            _row(request, answer, now),
        )
        return rows.one_or_none() is not None

    async def keep_many(self, answers: Iterable[tuple[Request, str]], now: datetime) -> None:
        """The same for new requests; if one was answered before, the transaction fails."""
        rows = [_row(request, answer, now) for request, answer in answers]
        if rows:
            await self._db.write_soon(_KEEP_MANY, rows)

    async def forget_before(self, moment: datetime) -> None:
        await self._db.execute(delete(GivenAnswer).where(GivenAnswer.created_at < moment))


def _row(request: Request, answer: str, now: datetime) -> dict[str, Any]:
    return {
        "user_id": request.user_id,
        "key": request.key,
        "request": request.digest,
        "answer": answer,
        "created_at": now,
    }
