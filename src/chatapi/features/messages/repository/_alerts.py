"""Statements on the flag of messages that contain alert words."""

from collections.abc import Collection, Iterable

from sqlalchemy import insert, update

from chatapi.core.ids import MessageId, UserId
from chatapi.db.models import MessageFlag
from chatapi.db.session import DatabaseSession


class AlertFlagRepository:
    """Which messages contain alert words of which users."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

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
