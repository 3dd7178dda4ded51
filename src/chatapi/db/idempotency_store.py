"""Stored responses, kept for a day, so that a repeated request is carried out only once."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, delete, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from chatapi.core.ids import UserId
from chatapi.db.bulk_writes import BulkInsert
from chatapi.db.models import StoredResponseRow
from chatapi.db.session import DatabaseSession

_FORWARDED = "forwarded:"
"""Keys of requests begin with it if the service has made them up; digests do not."""


class IdempotencyKey(Struct, frozen=True):
    """Identifies a request of a user: the same key again means the same request again."""

    user_id: UserId
    key: str
    digest: str
    """A digest of the request's content."""

    @classmethod
    def for_request(
        cls, user_id: UserId, name: Sequence[str], content: Iterable[str]
    ) -> "IdempotencyKey":
        return cls(user_id, _digest(name), _digest(content))

    @classmethod
    def for_forwarding(cls, user_id: UserId) -> "IdempotencyKey":
        """Return a new key for a request that two processes may carry out."""
        return cls(user_id, _FORWARDED + secrets.token_hex(16), "")


class StoredResponse(Struct, frozen=True):
    """The response of an earlier request, and the digest of that request's content."""

    digest: str
    response: str


def _digest(parts: Iterable[str]) -> str:
    # Each part is prefixed with its length: no two lists give the same text.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()


_FIND = select(StoredResponseRow.request_digest, StoredResponseRow.response).where(
    StoredResponseRow.user_id == bindparam("user_id"), StoredResponseRow.key == bindparam("key")
)
_STORE_IN_SQLITE = (
    sqlite.insert(StoredResponseRow).on_conflict_do_nothing().returning(StoredResponseRow.key)
)
_STORE_IN_POSTGRES = (
    postgresql.insert(StoredResponseRow).on_conflict_do_nothing().returning(StoredResponseRow.key)
)
_STORE_MANY = BulkInsert(
    StoredResponseRow, ["user_id", "key", "request_digest", "response", "created_at"]
)


class IdempotencyStore:
    """The statements on stored responses."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def find(self, key: IdempotencyKey) -> StoredResponse | None:
        rows = await self._db.execute(_FIND, {"user_id": key.user_id, "key": key.key})
        row = rows.one_or_none()
        return None if row is None else StoredResponse(*row)

    async def find_many(
        self, keys: Iterable[IdempotencyKey]
    ) -> dict[tuple[UserId, str], StoredResponse]:
        """Return the stored responses by user and key."""
        wanted = {(key.user_id, key.key) for key in keys}
        rows = await self._db.execute(
            select(
                StoredResponseRow.user_id,
                StoredResponseRow.key,
                StoredResponseRow.request_digest,
                StoredResponseRow.response,
            ).where(tuple_(StoredResponseRow.user_id, StoredResponseRow.key).in_(list(wanted)))
        )
        return {(UserId(row[0]), row[1]): StoredResponse(row[2], row[3]) for row in rows}

    async def store(self, key: IdempotencyKey, response: str, now: datetime) -> bool:
        """Store a response; returns False if the key already has one.

        Call it in the transaction that the response reports.
        """
        rows = await self._db.execute(
            _STORE_IN_SQLITE if self._db.database.is_sqlite else _STORE_IN_POSTGRES,
            _row(key, response, now),
        )
        return rows.one_or_none() is not None

    async def store_many(
        self, answers: Iterable[tuple[IdempotencyKey, str]], now: datetime
    ) -> None:
        """Store responses of new requests; if a key already has one, the transaction fails."""
        rows = [_row(key, response, now) for key, response in answers]
        if rows:
            await self._db.queue_write(_STORE_MANY, rows)

    async def delete_before(self, moment: datetime) -> None:
        await self._db.execute(
            delete(StoredResponseRow).where(StoredResponseRow.created_at < moment)
        )

    async def delete_forwarded_before(self, moment: datetime) -> None:
        """Delete responses whose keys were made up for forwarding; no client repeats these."""
        await self._db.execute(
            delete(StoredResponseRow).where(
                StoredResponseRow.created_at < moment,
                StoredResponseRow.key.startswith(_FORWARDED, autoescape=True),
            )
        )


def _row(key: IdempotencyKey, response: str, now: datetime) -> dict[str, Any]:
    return {
        "user_id": key.user_id,
        "key": key.key,
        "request_digest": key.digest,
        "response": response,
        "created_at": now,
    }
