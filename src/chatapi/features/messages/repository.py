"""Every SQL statement of sending."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, insert, select, tuple_, update

from chatapi.auth.people import UserRecord, user_records
from chatapi.core.ids import ChannelId, ConversationId, GroupId, MessageId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.db.many_rows import RowsWithChanges
from chatapi.db.models import (
    Conversation,
    ConversationMember,
    GroupMention,
    Mention,
    Message,
    Subscription,
    User,
)
from chatapi.db.session import DatabaseSession

TopicKey = tuple[ChannelId, str]
"""A channel, and a topic as topics are compared."""

_ADD_MESSAGES = RowsWithChanges(
    Message,
    [
        *("id", "realm_id", "conversation_id", "channel_id", "sender_id", "content"),
        *("rendered_content", "sent_at", "client_name", "is_me_message", "read_by_sender"),
        *("mentions_channel", "mentions_topic", "has_link", "has_image", "has_attachment"),
    ],
    lambda new: (
        update(Conversation)
        .where(Conversation.id == new["conversation"])
        .values(last_message_id=new["message"])
    ),
    ["conversation", "message"],
)
_MUTED_CHANNELS = select(Subscription.channel_id).where(
    Subscription.user_id == bindparam("user_id"), Subscription.is_active, Subscription.is_muted
)
_SENDERS = (
    select(Message.sender_id)
    .distinct()
    .where(Message.conversation_id == bindparam("conversation_id"))
)
_SUBSCRIBED = select(Subscription.user_id).where(
    Subscription.channel_id == bindparam("channel_id"),
    Subscription.is_active,
    Subscription.user_id.in_(bindparam("user_ids", expanding=True)),
)
_IDS_PER_STATEMENT = 1_000


@dataclass(frozen=True)
class FoundTopic:
    """The conversation of a topic."""

    id: ConversationId
    topic: str
    """As it was first written."""


class MessageRepository:
    """Messages and conversations of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def add_messages(
        self, rows: Sequence[Mapping[str, Any]], newest: Mapping[ConversationId, MessageId]
    ) -> None:
        """Add messages, and note which ones are now the last of their conversations."""
        last = [
            {"conversation": conversation_id, "message": message_id}
            for conversation_id, message_id in newest.items()
        ]
        await self._db.write_soon(_ADD_MESSAGES, rows, last)

    async def find_topics(self, keys: Iterable[TopicKey]) -> dict[TopicKey, FoundTopic]:
        rows = await self._db.execute(
            select(
                Conversation.channel_id, Conversation.topic_key, Conversation.id, Conversation.topic
            ).where(tuple_(Conversation.channel_id, Conversation.topic_key).in_(list(keys)))
        )
        return {
            (ChannelId(channel_id), key): FoundTopic(ConversationId(conversation_id), topic)
            for channel_id, key, conversation_id, topic in rows
            if channel_id is not None and key is not None
        }

    async def add_topic(
        self, channel_id: ChannelId, topic: str, first_message: MessageId
    ) -> ConversationId:
        return await self._add_conversation(
            channel_id=channel_id,
            topic=topic,
            topic_key=name_key(topic),
            people_key=None,
            first_message_id=first_message,
            last_message_id=first_message,
        )

    async def find_people(self, keys: Iterable[str]) -> dict[str, ConversationId]:
        rows = await self._db.execute(
            select(Conversation.people_key, Conversation.id).where(
                Conversation.realm_id == self._realm_id, Conversation.people_key.in_(list(keys))
            )
        )
        return {key: ConversationId(found) for key, found in rows if key is not None}

    async def add_people(
        self, key: str, user_ids: Iterable[UserId], first_message: MessageId
    ) -> ConversationId:
        conversation_id = await self._add_conversation(
            channel_id=None,
            topic="",
            topic_key=None,
            people_key=key,
            first_message_id=first_message,
            last_message_id=first_message,
        )
        await self._db.execute(
            insert(ConversationMember),
            [{"user_id": user_id, "conversation_id": conversation_id} for user_id in user_ids],
        )
        return conversation_id

    async def _add_conversation(self, **values: object) -> ConversationId:
        rows = await self._db.execute(
            insert(Conversation)
            .values(realm_id=self._realm_id, **values)
            .returning(Conversation.id)
        )
        return ConversationId(rows.scalar_one())

    async def add_mentions(self, mentions: Sequence[tuple[MessageId, UserId]]) -> None:
        await self._db.execute(
            insert(Mention),
            [{"message_id": message_id, "user_id": user_id} for message_id, user_id in mentions],
        )

    async def add_group_mentions(self, mentions: Sequence[tuple[MessageId, GroupId]]) -> None:
        await self._db.execute(
            insert(GroupMention),
            [{"message_id": message_id, "group_id": group_id} for message_id, group_id in mentions],
        )

    async def list_senders(self, conversation_id: ConversationId) -> frozenset[UserId]:
        """Who took part in a conversation."""
        rows = await self._db.execute(_SENDERS, {"conversation_id": conversation_id})
        return frozenset(UserId(user_id) for (user_id,) in rows)

    async def list_muted_channels(self, user_id: UserId) -> frozenset[ChannelId]:
        rows = await self._db.execute(_MUTED_CHANNELS, {"user_id": user_id})
        return frozenset(ChannelId(channel_id) for (channel_id,) in rows)

    async def list_subscribed(
        self, channel_id: ChannelId, among: Iterable[UserId]
    ) -> frozenset[UserId]:
        """Those of some people who are in a channel."""
        user_ids = sorted(among)
        found: set[UserId] = set()
        for start in range(0, len(user_ids), _IDS_PER_STATEMENT):
            chunk = user_ids[start : start + _IDS_PER_STATEMENT]
            rows = await self._db.execute(
                _SUBSCRIBED, {"channel_id": channel_id, "user_ids": chunk}
            )
            found.update(UserId(user_id) for (user_id,) in rows)
        return frozenset(found)


class PeopleRepository:
    """Whom a message names or goes to."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_named(self, keys: Iterable[str], user_ids: Iterable[UserId]) -> list[UserRecord]:
        """Active users with these names, in lower case, or with these ids."""
        rows = await self._db.execute(
            user_records.select().where(
                User.realm_id == self._realm_id,
                User.is_active,
                func.lower(User.full_name).in_(list(keys)) | User.id.in_(list(user_ids)),
            )
        )
        return user_records.read_all(rows)
