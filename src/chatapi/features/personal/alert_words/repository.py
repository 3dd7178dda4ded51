"""Every SQL statement on alert words."""

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import bindparam, delete, insert, select, update

from chatapi.core.ids import MessageId, RealmId, UserId
from chatapi.db.models import AlertWord, MessageFlag
from chatapi.db.session import DatabaseSession

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
        rows = await self._db.execute(_OF_USER, {"user_id": user_id})
        return {row.word_key: row.word for row in rows}

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

    async def mark_again(self, message_id: MessageId, user_ids: Collection[UserId]) -> None:
        """Flag an edited message for these users, and remove the flag for all others."""
        has_word = MessageFlag.user_id.in_(user_ids)
        rows = await self._db.execute(
            update(MessageFlag)
            .where(MessageFlag.message_id == message_id)
            .values(has_alert_word=has_word)
            .returning(MessageFlag.user_id)
        )
        known = {UserId(user_id) for (user_id,) in rows}
        if new := sorted(set(user_ids) - known):
            await self.mark((message_id, user_id) for user_id in new)

    async def mark(self, marks: Iterable[tuple[MessageId, UserId]]) -> None:
        """Flag new messages, which have no flag rows yet."""
        await self._db.execute(
            insert(MessageFlag),
            [
                {
                    "message_id": message_id,
                    "user_id": user_id,
                    "starred": False,
                    "collapsed": False,
                    "has_alert_word": True,
                }
                for message_id, user_id in marks
            ],
        )
