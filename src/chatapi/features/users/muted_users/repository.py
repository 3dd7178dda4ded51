"""Every SQL statement on muted users."""

from datetime import datetime

from sqlalchemy import bindparam, delete, insert, select

from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.db.models import Message, MutedUser
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows
from chatapi.narrow.unread import unread_messages, values_for
from chatapi.read_state.repository import ReadMessage

_MAX_UNREAD = 50_000
"""The same limit as for the unread messages that clients receive."""

_rows = OwnedRows(MutedUser.user_id)
_OF_USER = (
    select(MutedUser.muted_user_id, MutedUser.muted_at)
    .where(MutedUser.user_id == bindparam("user_id"))
    .order_by(MutedUser.muted_at, MutedUser.muted_user_id)
)
_UNMUTE = delete(MutedUser).where(
    MutedUser.user_id == bindparam("of_user"), MutedUser.muted_user_id == bindparam("muted")
)
_unread_of_sender = unread_messages(
    Message.id.label("id"),
    Message.conversation_id,
    where=(Message.sender_id == bindparam("sender_id", type_=Message.sender_id.type),),
).subquery()
_newest_of_sender = (
    select(_unread_of_sender).order_by(_unread_of_sender.c.id.desc()).limit(_MAX_UNREAD).subquery()
)
_UNREAD_OF_SENDER = select(_newest_of_sender).order_by(_newest_of_sender.c.id)


class MutedUserRepository:
    """Which users mute which others."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def list_of(self, user_id: UserId) -> dict[UserId, datetime]:
        """The users whom a user mutes, and since when."""
        if not await _rows.may_exist(self._db, user_id):
            return {}
        rows = await self._db.fetch(_OF_USER, {"user_id": user_id})
        return {UserId(muted): muted_at for muted, muted_at in rows}

    async def mute(self, user_id: UserId, muted: UserId, now: datetime) -> None:
        row = {"user_id": user_id, "muted_user_id": muted, "muted_at": now}
        await self._db.execute(insert(MutedUser), [row])

    async def unmute(self, user_id: UserId, muted: UserId) -> None:
        await self._db.execute(_UNMUTE, {"of_user": user_id, "muted": muted})

    async def list_unread_of(self, reader_id: UserId, sender_id: UserId) -> list[ReadMessage]:
        """A reader's unread messages from a sender."""
        rows = await self._db.execute(
            _UNREAD_OF_SENDER, {**values_for(reader_id), "sender_id": sender_id}
        )
        return [
            ReadMessage(reader_id, MessageId(message_id), ConversationId(conversation_id))
            for message_id, conversation_id in rows
        ]
