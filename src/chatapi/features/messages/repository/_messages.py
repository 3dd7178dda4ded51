"""Every SQL statement of sending."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from unicodedata import normalize

from msgspec import Struct
from sqlalchemy import Select, bindparam, func, insert, select, tuple_, update

from chatapi.auth.users import UserRecord, user_records
from chatapi.core.ids import ChannelId, ConversationId, GroupId, MessageId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.db.bulk_writes import BulkInsertWithUpdates
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import (
    Conversation,
    ConversationMember,
    GroupMention,
    Mention,
    Message,
    MessageFlag,
    Subscription,
    User,
)
from chatapi.db.session import DatabaseSession

TopicKey = tuple[ChannelId, str]
"""A channel id, and a topic normalized for comparison."""

_ADD_MESSAGES = BulkInsertWithUpdates(
    Message,
    [
        *("id", "realm_id", "conversation_id", "channel_id", "sender_id", "content"),
        *("rendered_content", "sent_at", "client_name", "is_me_message", "read_by_sender"),
        *("mentions_channel", "mentions_topic", "has_link", "has_image", "has_attachment"),
        "has_widget",
    ],
    lambda new: (
        update(Conversation)
        .where(Conversation.id == new["conversation"])
        .values(last_message_id=new["message"])
    ),
    ["conversation", "message"],
)
_ADD_TOPICS = insert(Conversation).returning(
    Conversation.channel_id, Conversation.topic_key, Conversation.id
)
_BEGIN_AGAIN = (
    update(Conversation)
    .where(Conversation.id == bindparam("conversation"))
    .values(first_message_id=bindparam("message"))
)
_ADD_PEOPLE = insert(Conversation).returning(Conversation.people_key, Conversation.id)
_MUTED_CHANNELS = select(Subscription.channel_id).where(
    Subscription.user_id == bindparam("user_id"), Subscription.is_active, Subscription.is_muted
)
_SENDERS = (
    select(Message.sender_id)
    .distinct()
    .where(Message.conversation_id == bindparam("conversation_id"))
)
_MENTIONED_USERS = select(Mention.user_id).where(Mention.message_id == bindparam("message_id"))
_MENTIONED_GROUPS = select(GroupMention.group_id).where(
    GroupMention.message_id == bindparam("message_id")
)
_ALERTED_USERS = select(MessageFlag.user_id).where(
    MessageFlag.message_id == bindparam("message_id"), MessageFlag.has_alert_word
)
_SUBSCRIBED = select(Subscription.channel_id, Subscription.user_id).where(
    is_one_of(Subscription.channel_id, "channel_ids"),
    is_one_of(Subscription.user_id, "user_ids"),
    Subscription.is_active,
)


class FoundDirectConversation(Struct, frozen=True):
    """The conversation of a set of users."""

    id: ConversationId
    is_empty: bool
    """Whether all of its messages were deleted."""


class MentionsOfMessage(Struct, frozen=True):
    """Whom a message mentions by name, and whose alert words it contains."""

    user_ids: frozenset[UserId]
    group_ids: frozenset[GroupId]
    alerted_user_ids: frozenset[UserId]


class FoundTopic(Struct, frozen=True):
    """The conversation of a topic."""

    id: ConversationId
    topic: str
    """The topic as it was first written."""


class NewTopic(Struct, frozen=True):
    """A topic to create, with its first message."""

    channel_id: ChannelId
    topic: str
    first_message: MessageId


class NewDirectConversation(Struct, frozen=True):
    """A direct conversation to create."""

    key: str
    user_ids: Sequence[UserId]
    first_message: MessageId


class MessageRepository:
    """Messages and conversations of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def add_messages(
        self, rows: Sequence[Mapping[str, Any]], newest: Mapping[ConversationId, MessageId]
    ) -> None:
        """Insert messages, and update the last messages of their conversations."""
        last = [
            {"conversation": conversation_id, "message": message_id}
            for conversation_id, message_id in newest.items()
        ]
        await self._db.queue_write(_ADD_MESSAGES, rows, last)

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
        [topic_id] = (await self.add_topics([NewTopic(channel_id, topic, first_message)])).values()
        return topic_id

    async def add_topics(self, topics: Iterable[NewTopic]) -> dict[TopicKey, ConversationId]:
        """Insert conversations of new topics; one statement, however many."""
        rows = [
            {
                "realm_id": self._realm_id,
                "channel_id": each.channel_id,
                "topic": each.topic,
                "topic_key": name_key(each.topic),
                "people_key": None,
                "first_message_id": each.first_message,
                "last_message_id": each.first_message,
            }
            for each in topics
        ]
        return {
            (channel_id, key): ConversationId(conversation_id)
            for channel_id, key, conversation_id in await self._db.execute(_ADD_TOPICS, rows)
        }

    async def find_people(self, keys: Iterable[str]) -> dict[str, FoundDirectConversation]:
        rows = await self._db.execute(
            select(
                Conversation.people_key,
                Conversation.id,
                Conversation.last_message_id < Conversation.first_message_id,
            ).where(
                Conversation.realm_id == self._realm_id, Conversation.people_key.in_(list(keys))
            )
        )
        return {
            key: FoundDirectConversation(ConversationId(found), is_empty)
            for key, found, is_empty in rows
            if key is not None
        }

    async def begin_again(self, firsts: Mapping[ConversationId, MessageId]) -> None:
        """Set the first messages of conversations whose messages had all been deleted."""
        rows = [{"conversation": key, "message": first} for key, first in firsts.items()]
        await self._db.execute(_BEGIN_AGAIN, rows)

    async def add_people(
        self, conversations: Collection[NewDirectConversation]
    ) -> dict[str, ConversationId]:
        """Insert direct conversations, returned by their keys; two statements, however many."""
        rows = [
            {
                "realm_id": self._realm_id,
                "channel_id": None,
                "topic": "",
                "topic_key": None,
                "people_key": each.key,
                "first_message_id": each.first_message,
                "last_message_id": each.first_message,
            }
            for each in conversations
        ]
        added = {
            key: ConversationId(conversation_id)
            for key, conversation_id in await self._db.execute(_ADD_PEOPLE, rows)
        }
        await self._db.execute(
            insert(ConversationMember),
            [
                {"user_id": user_id, "conversation_id": added[each.key]}
                for each in conversations
                for user_id in each.user_ids
            ],
        )
        return added

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

    async def list_mentions(self, message_id: MessageId) -> MentionsOfMessage:
        """Whom a message mentions, and whose alert words it contains."""
        of_message = {"message_id": message_id}
        users = await self._db.execute(_MENTIONED_USERS, of_message)
        groups = await self._db.execute(_MENTIONED_GROUPS, of_message)
        alerted = await self._db.execute(_ALERTED_USERS, of_message)
        return MentionsOfMessage(
            frozenset(UserId(user_id) for (user_id,) in users),
            frozenset(GroupId(group_id) for (group_id,) in groups),
            frozenset(UserId(user_id) for (user_id,) in alerted),
        )

    async def list_senders(self, conversation_id: ConversationId) -> frozenset[UserId]:
        """The users who sent messages in a conversation."""
        rows = await self._db.execute(_SENDERS, {"conversation_id": conversation_id})
        return frozenset(UserId(user_id) for (user_id,) in rows)

    async def find_last_of_people(self) -> datetime | None:
        """When the newest message that the service has not posted itself was sent; reads all."""
        found = await self._db.execute(
            select(func.max(Message.sent_at)).where(
                Message.realm_id == self._realm_id, Message.sender_id.not_in(self._system_bots())
            )
        )
        return found.scalar_one()

    async def backdate_notices(self, moment: datetime) -> None:
        """Set the time of messages that the service has posted after a moment to that moment."""
        await self._db.execute(
            update(Message)
            .where(
                Message.realm_id == self._realm_id,
                Message.sender_id.in_(self._system_bots()),
                Message.sent_at > moment,
            )
            .values(sent_at=moment)
        )

    def _system_bots(self) -> Select[int]:
        return select(User.id).where(User.realm_id == self._realm_id, User.is_system_bot)

    async def list_muted_channels(self, user_id: UserId) -> frozenset[ChannelId]:
        rows = await self._db.execute(_MUTED_CHANNELS, {"user_id": user_id})
        return frozenset(ChannelId(channel_id) for (channel_id,) in rows)

    async def list_subscribed(
        self, channel_id: ChannelId, among: Collection[UserId]
    ) -> frozenset[UserId]:
        """Which of the users are subscribed to a channel."""
        found = await self.list_subscribed_to([channel_id], among)
        return found.get(channel_id, frozenset())

    async def list_subscribed_to(
        self, channel_ids: Collection[ChannelId], among: Collection[UserId]
    ) -> dict[ChannelId, frozenset[UserId]]:
        """The same for several channels in one statement; channels without any are left out."""
        values = {"channel_ids": list(channel_ids), "user_ids": list(among)}
        found: defaultdict[ChannelId, set[UserId]] = defaultdict(set)
        for channel_id, user_id in await self._db.execute(_SUBSCRIBED, values):
            found[ChannelId(channel_id)].add(UserId(user_id))
        return {channel_id: frozenset(people) for channel_id, people in found.items()}


class RecipientRepository:
    """Looks up users whom a message mentions or is sent to."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_named(self, keys: Iterable[str], user_ids: Iterable[UserId]) -> list[UserRecord]:
        """Active users with these names, normalized by `name_key`, or with these ids."""
        # Names are stored as typed: most with composed accents, some with decomposed ones.
        spellings = {normalize(form, key) for key in keys for form in ("NFC", "NFD")}
        rows = await self._db.execute(
            user_records.select().where(
                User.realm_id == self._realm_id,
                User.is_active,
                func.lower(User.full_name).in_(sorted(spellings)) | User.id.in_(list(user_ids)),
            )
        )
        return user_records.read_all(rows)
