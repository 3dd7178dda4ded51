"""Every SQL statement on alert words."""

from collections.abc import Iterable, Mapping

from sqlalchemy import bindparam, delete, insert, select

from chatapi.core.ids import RealmId, UserId
from chatapi.db.models import AlertWord
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows

_rows = OwnedRows(AlertWord.user_id)
_OF_USER = (
    select(AlertWord.word_key, AlertWord.word)
    .where(AlertWord.user_id == bindparam("user_id"))
    .order_by(AlertWord.word_key)
)
_FORGET = delete(AlertWord).where(
    AlertWord.user_id == bindparam("of_user"),
    AlertWord.word_key.in_(bindparam("keys", expanding=True)),
)


class AlertWordRepository:
    """Alert words of the users of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_of(self, user_id: UserId) -> dict[str, str]:
        """The words as written, keyed by their normalized form."""
        if not await _rows.may_exist(self._db, user_id):
            return {}
        return dict(await self._db.fetch(_OF_USER, {"user_id": user_id}))

    async def add(self, user_id: UserId, words: Mapping[str, str]) -> None:
        await self._db.execute(
            insert(AlertWord),
            [
                {"user_id": user_id, "realm_id": self._realm_id, "word_key": key, "word": word}
                for key, word in words.items()
            ],
        )

    async def remove(self, user_id: UserId, keys: Iterable[str]) -> None:
        await self._db.execute(_FORGET, {"of_user": user_id, "keys": list(keys)})
