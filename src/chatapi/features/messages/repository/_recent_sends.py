"""The SQL statement that finds where people have just written."""

from msgspec import Struct
from sqlalchemy import select

from chatapi.core.ids import ChannelId, RealmId, UserId
from chatapi.db.models import Conversation, Message, User
from chatapi.db.session import DatabaseSession

_MOST = 100
"""How many of the newest messages are looked at: all others may be of bots."""
_newest = select(Message).order_by(Message.id.desc()).limit(_MOST).subquery()
_RECENT = (
    select(_newest.c.realm_id, _newest.c.sender_id, _newest.c.channel_id, Conversation.topic)
    .join(Conversation, Conversation.id == _newest.c.conversation_id)
    .join(User, User.id == _newest.c.sender_id)
    .where(_newest.c.channel_id.is_not(None), User.is_active, User.bot_type.is_(None))
    .order_by(_newest.c.id.desc())
    .limit(1)
)


class RecentSend(Struct, frozen=True):
    """A topic in which a user has just written."""

    realm_id: RealmId
    user_id: UserId
    channel_id: ChannelId
    topic: str


class RecentSendRepository:
    """The newest messages of all realms."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def find(self) -> RecentSend | None:
        """The newest message of a person in a channel; None if the newest ones are others."""
        rows = await self._db.fetch(_RECENT)
        return RecentSend(*rows[0]) if rows else None
