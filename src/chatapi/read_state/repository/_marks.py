"""Read positions and read exceptions of a reader."""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, delete, func, select, update

from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId, UserId
from chatapi.db.message_ids import newest_message_id
from chatapi.db.models import (
    Conversation,
    ConversationReadPosition,
    GlobalReadPosition,
    Message,
    ReadException,
    Subscription,
)
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert
from chatapi.db.user_facts import REALM_OF_USER, UserFact
from chatapi.read_state.repository._states import MessageState, chunks

_IDS_PER_STATEMENT = 1_000

_LAST_MESSAGES = select(Conversation.id, Conversation.last_message_id).where(
    Conversation.id.in_(bindparam("conversation_ids", expanding=True))
)
_MOVE_IN_CHANNEL = (
    update(Subscription)
    .where(
        Subscription.user_id == bindparam("of_user"),
        Subscription.channel_id == bindparam("in_channel"),
    )
    .values(read_up_to=bindparam("message"))
)
_FORGET_ALL = delete(ReadException).where(ReadException.user_id == bindparam("of_user"))
_FORGET_IN_CHANNEL = _FORGET_ALL.where(
    ReadException.conversation_id.in_(
        select(Conversation.id).where(Conversation.channel_id == bindparam("in_channel"))
    )
)
_FORGET_UP_TO = _FORGET_ALL.where(
    ReadException.conversation_id == bindparam("in_conversation"),
    ReadException.message_id <= bindparam("message"),
)
_FORGET_SOME = _FORGET_ALL.where(
    ReadException.message_id.in_(bindparam("message_ids", expanding=True))
)

_newest = UserFact[MessageId | None](
    select(func.max(Message.id)).where(Message.realm_id == REALM_OF_USER).scalar_subquery()
)


class MarkRepository:
    """The read positions and exceptions of one reader."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId, user_id: UserId) -> None:
        self._db = db
        self._realm_id = realm_id
        self._user_id = user_id

    async def newest_message(self) -> MessageId | None:
        """The newest message of the whole realm."""
        if self._db.as_of is not None:
            return await _newest.read(self._db, self._user_id)
        return await newest_message_id(self._db, self._realm_id)

    async def last_messages(
        self, conversation_ids: Sequence[ConversationId]
    ) -> dict[ConversationId, MessageId]:
        rows = await self._db.execute(_LAST_MESSAGES, {"conversation_ids": conversation_ids})
        return {ConversationId(found): MessageId(last) for found, last in rows}

    async def read_all_up_to(self, message_id: MessageId) -> None:
        await upsert(
            self._db, GlobalReadPosition, [{"user_id": self._user_id, "message_id": message_id}]
        )
        await self._db.execute(_FORGET_ALL, {"of_user": self._user_id})

    async def read_channel_up_to(self, channel_id: ChannelId, message_id: MessageId) -> None:
        channel = {"of_user": self._user_id, "in_channel": channel_id}
        await self._db.execute(_MOVE_IN_CHANNEL, {**channel, "message": message_id})
        await self._db.execute(_FORGET_IN_CHANNEL, channel)

    async def read_up_to(self, positions: Mapping[ConversationId, MessageId]) -> None:
        """Advance the positions in conversations; exceptions below them become meaningless."""
        await self.move(positions)
        await self.forget_up_to(positions)

    async def move(self, positions: Mapping[ConversationId, MessageId]) -> None:
        await upsert(
            self._db,
            ConversationReadPosition,
            [
                {"user_id": self._user_id, "conversation_id": key, "message_id": message_id}
                for key, message_id in positions.items()
            ],
        )

    async def forget_up_to(self, positions: Mapping[ConversationId, MessageId]) -> None:
        rows = [
            {"of_user": self._user_id, "in_conversation": key, "message": message_id}
            for key, message_id in positions.items()
        ]
        if rows:
            await self._db.execute(_FORGET_UP_TO, rows)

    async def forget(self, message_ids: Sequence[MessageId]) -> None:
        for chunk in chunks(message_ids, _IDS_PER_STATEMENT):
            values = {"of_user": self._user_id, "message_ids": chunk}
            await self._db.execute(_FORGET_SOME, values)

    async def note(self, states: Sequence[MessageState], *, is_read: bool) -> None:
        """Store exceptions for single messages that differ from the position."""
        await upsert(
            self._db,
            ReadException,
            [
                {
                    "user_id": self._user_id,
                    "message_id": state.id,
                    "conversation_id": state.conversation_id,
                    "is_read": is_read,
                }
                for state in states
            ],
        )
