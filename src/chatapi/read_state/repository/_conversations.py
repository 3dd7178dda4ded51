"""The reader's direct conversations and starred messages, for the initial client state."""

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import bindparam, case, select

from chatapi.core.ids import ConversationId, MessageId, UserId
from chatapi.db.id_lists import is_one_of, joined_ids, split_ids
from chatapi.db.models import Conversation, ConversationMember, Message, MessageFlag
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows
from chatapi.permissions.messages import MessageGroup
from chatapi.read_state.repository._states import chunks

_MAX_RECENT_CONVERSATIONS = 1_000
_CONVERSATIONS_PER_STATEMENT = 1_000

_flags = OwnedRows(MessageFlag.user_id)
_direct_conversations = OwnedRows(ConversationMember.user_id)
_direct_conversation = case((Message.channel_id.is_(None), Message.conversation_id), else_=None)
_STARRED = (
    select(Message.channel_id, _direct_conversation, Message.arrival, joined_ids(Message.id))
    .join(MessageFlag, MessageFlag.message_id == Message.id)
    .where(MessageFlag.user_id == bindparam("user_id"), MessageFlag.starred)
    .group_by(Message.channel_id, _direct_conversation, Message.arrival)
)
_RECENT = (
    select(Conversation.id, Conversation.last_message_id)
    .join(ConversationMember, ConversationMember.conversation_id == Conversation.id)
    .where(
        ConversationMember.user_id == bindparam("user_id"),
        Conversation.last_message_id >= Conversation.first_message_id,
    )
    .order_by(Conversation.last_message_id.desc())
    .limit(_MAX_RECENT_CONVERSATIONS)
)
_MEMBERS = (
    select(ConversationMember.conversation_id, ConversationMember.user_id)
    .where(is_one_of(ConversationMember.conversation_id, "conversation_ids"))
    .order_by(ConversationMember.user_id)
)
_TOPICS = select(Conversation.id, Conversation.topic).where(
    Conversation.id.in_(bindparam("conversation_ids", expanding=True))
)


class ConversationRepository:
    """Conversations in the form that the initial client state needs."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def list_starred(self, user_id: UserId) -> list[MessageGroup]:
        """The messages that a user has starred, perhaps thousands."""
        if not await _flags.may_exist(self._db, user_id):
            return []
        rows = await self._db.fetch(_STARRED, {"user_id": user_id})
        return [
            MessageGroup(channel_id, conversation_id, arrival, split_ids(ids))
            for channel_id, conversation_id, arrival, ids in rows
        ]

    async def list_recent_direct(self, user_id: UserId) -> dict[ConversationId, MessageId]:
        """A user's latest direct conversations and the last message of each."""
        if not await _direct_conversations.may_exist(self._db, user_id):
            return {}
        rows = await self._db.fetch(_RECENT, {"user_id": user_id})
        return {ConversationId(key): MessageId(last) for key, last in rows}

    async def list_people(
        self, conversation_ids: Iterable[ConversationId]
    ) -> dict[ConversationId, list[UserId]]:
        """The participants of direct conversations, ordered by id."""
        people: defaultdict[ConversationId, list[UserId]] = defaultdict(list)
        for chunk in chunks(sorted(conversation_ids), _CONVERSATIONS_PER_STATEMENT):
            rows = await self._db.fetch(_MEMBERS, {"conversation_ids": chunk})
            for conversation_id, user_id in rows:
                people[ConversationId(conversation_id)].append(UserId(user_id))
        return people

    async def list_topics(
        self, conversation_ids: Iterable[ConversationId]
    ) -> dict[ConversationId, str]:
        topics: dict[ConversationId, str] = {}
        for chunk in chunks(sorted(conversation_ids), _CONVERSATIONS_PER_STATEMENT):
            rows = await self._db.execute(_TOPICS, {"conversation_ids": chunk})
            topics |= {ConversationId(key): topic for key, topic in rows}
        return topics
