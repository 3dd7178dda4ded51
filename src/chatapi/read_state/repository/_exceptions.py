"""Statements on read exceptions: single messages that count as read."""

from collections.abc import Iterable
from typing import NamedTuple

from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.db.models import ReadException
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert


class ReadMessage(NamedTuple):
    """A message that counts as read by a user."""

    user_id: UserId
    message_id: MessageId
    conversation_id: ConversationId


class ReadExceptionRepository:
    """Messages that count as read although the reader's position is before them."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def mark_read(self, messages: Iterable[ReadMessage]) -> None:
        """One row for each message; the rows are deleted when the reader's position passes them."""
        rows: list[dict[str, object]] = [
            {**message._asdict(), "is_read": True} for message in messages
        ]
        await upsert(self._db, ReadException, rows)
