"""Every SQL statement of finding old messages."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, bindparam, select

from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId
from chatapi.db.message_ids import newest_message_id
from chatapi.db.models import Channel, Conversation, Message
from chatapi.db.session import DatabaseSession

_NEXT = (
    select(Message.id, Message.sent_at)
    .where(Message.realm_id == bindparam("realm_id"), Message.id >= bindparam("message_id"))
    .order_by(Message.id)
    .limit(1)
)
_BEGUN: Select[*tuple[Any, ...]] = (
    select(Conversation.id, Conversation.channel_id, Conversation.first_message_id)
    .where(
        Conversation.realm_id == bindparam("realm_id"),
        Conversation.first_message_id <= bindparam("up_to"),
        Conversation.first_message_id <= Conversation.last_message_id,
    )
    .order_by(Conversation.first_message_id)
)
_OLDEST = (
    select(Message.id)
    .where(
        Message.conversation_id == bindparam("conversation_id"),
        Message.id > bindparam("after"),
        Message.id <= bindparam("up_to"),
    )
    .order_by(Message.id)
    .limit(bindparam("limit"))
)


class BegunConversation(Struct, frozen=True):
    """A conversation and its first message."""

    id: ConversationId
    channel_id: ChannelId | None
    first_message_id: MessageId


class RetentionRepository:
    """Messages of one realm by age; there is no index on it, but ids ascend with time."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_channel_days(self) -> dict[ChannelId, int | None]:
        """The retention setting of each channel."""
        rows = await self._db.execute(
            select(Channel.id, Channel.message_retention_days).where(
                Channel.realm_id == self._realm_id
            )
        )
        return {ChannelId(channel_id): days for channel_id, days in rows}

    async def find_last_before(self, moment: datetime) -> MessageId | None:
        """The last message that was sent before a moment, by binary search."""
        last: MessageId | None = None
        low, high = 0, await newest_message_id(self._db, self._realm_id) or -1
        while low <= high:
            middle = (low + high) // 2
            values = {"realm_id": self._realm_id, "message_id": middle}
            row = (await self._db.execute(_NEXT, values)).one_or_none()
            # If there is no row, the message was deleted since the previous statement.
            if row is not None and row.sent_at < moment:
                last = MessageId(row.id)
                low = row.id + 1
            else:
                high = middle - 1
        return last

    async def list_begun(self, up_to: MessageId) -> list[BegunConversation]:
        """Conversations that may have messages up to an id, the oldest first."""
        rows = await self._db.execute(_BEGUN, {"realm_id": self._realm_id, "up_to": up_to})
        return [BegunConversation(*row) for row in rows]

    async def list_oldest(
        self, conversation_id: ConversationId, *, after: MessageId, up_to: MessageId, limit: int
    ) -> list[MessageId]:
        """The first messages of a conversation between two ids."""
        rows = await self._db.execute(
            _OLDEST,
            {"conversation_id": conversation_id, "after": after, "up_to": up_to, "limit": limit},
        )
        return [MessageId(message_id) for (message_id,) in rows]
