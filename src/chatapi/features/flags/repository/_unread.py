"""What a reader has not read, and what else a client begins with."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    String,
    bindparam,
    case,
    cast,
    func,
    or_,
    select,
    type_coerce,
    union_all,
)

from chatapi.core.ids import ChannelId, ConversationId, GroupId, MessageId, UserId
from chatapi.db.models import Conversation, ConversationMember, Message, MessageFlag
from chatapi.db.session import DatabaseSession
from chatapi.features.flags.repository._spans import MOST_UNREAD
from chatapi.features.flags.repository._states import (
    chunks,
    mentions_reader,
    mentions_topic_of_reader,
)
from chatapi.narrow.unread import READER, newest_unread, unread_messages, values_for

_MOST_RECENT_CONVERSATIONS = 1_000
_CONVERSATIONS_PER_STATEMENT = 10_000

_IN_CONVERSATION = Conversation.id == bindparam("conversation_id", type_=BigInteger)


def _joined(ids: ColumnElement[int | None]) -> ColumnElement[str]:
    """Many ids as one text: thousands of rows would take ten times as long to come over."""
    return type_coerce(func.aggregate_strings(cast(ids, String), ","), String)


def _first_of(where: ColumnElement[bool]) -> Select[*tuple[int]]:
    parts = [
        part.order_by(Message.id).limit(bindparam("limit", type_=BigInteger)).subquery()
        for part in unread_messages(Message.id.label("id"), where=(where,))
    ]
    found = union_all(*(select(part.c.id) for part in parts)).subquery()
    return select(found.c.id).order_by(found.c.id)


def _all_by_conversation() -> Select[*tuple[Any, ...]]:
    found = newest_unread(
        MOST_UNREAD,
        Message.conversation_id,
        or_(mentions_reader(), Message.mentions_channel, mentions_topic_of_reader()).label(
            "is_mention"
        ),
    ).subquery()
    unread = select(found).order_by(found.c.id.desc()).limit(MOST_UNREAD).subquery()
    return (
        select(
            Conversation.id,
            Conversation.channel_id,
            Conversation.topic,
            func.count(),
            _joined(unread.c.id),
            _joined(case((unread.c.is_mention, unread.c.id))),
        )
        .join(Conversation, Conversation.id == unread.c.conversation_id)
        .group_by(Conversation.id, Conversation.channel_id, Conversation.topic)
        .order_by(Conversation.id)
    )


_FIRST_IN_CONVERSATION = _first_of(_IN_CONVERSATION)
_ALL = _all_by_conversation()
_STARRED: Select[*tuple[Any, ...]] = (
    select(Message.id, Message.conversation_id, Message.channel_id)
    .join(MessageFlag, MessageFlag.message_id == Message.id)
    .where(MessageFlag.user_id == READER, MessageFlag.starred)
    .order_by(Message.id)
)
_RECENT = (
    select(Conversation.id, Conversation.last_message_id)
    .join(ConversationMember, ConversationMember.conversation_id == Conversation.id)
    .where(ConversationMember.user_id == READER)
    .order_by(Conversation.last_message_id.desc())
    .limit(_MOST_RECENT_CONVERSATIONS)
)
_MEMBERS = (
    select(ConversationMember.conversation_id, ConversationMember.user_id)
    .where(ConversationMember.conversation_id.in_(bindparam("conversation_ids", expanding=True)))
    .order_by(ConversationMember.user_id)
)


_TOPICS = select(Conversation.id, Conversation.topic).where(
    Conversation.id.in_(bindparam("conversation_ids", expanding=True))
)


@dataclass(frozen=True)
class UnreadConversation:
    """The unread messages of one conversation, by id."""

    id: ConversationId
    channel_id: ChannelId | None
    topic: str
    message_ids: list[MessageId]
    mention_ids: list[MessageId]


@dataclass(frozen=True)
class StarredMessage:
    """A message somebody starred, and where it is."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None


class UnreadRepository:
    """What one reader has before them; cost follows what is unread, not what is there."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._values = values_for(user_id)

    async def list_all(self, groups: Collection[GroupId]) -> list[UnreadConversation]:
        """All of it, at most the newest MOST_UNREAD messages."""
        rows = await self._db.execute(_ALL, {**self._values, "group_ids": list(groups)})
        return [
            UnreadConversation(
                ConversationId(conversation_id),
                None if channel_id is None else ChannelId(channel_id),
                topic,
                _split(ids),
                _split(mentions),
            )
            for conversation_id, channel_id, topic, _, ids, mentions in rows
        ]

    async def list_first(self, conversation_id: ConversationId, limit: int) -> list[MessageId]:
        """The oldest unread messages of a conversation, at least as many as asked for, or all."""
        rows = await self._db.execute(
            _FIRST_IN_CONVERSATION,
            {**self._values, "conversation_id": conversation_id, "limit": limit},
        )
        return [MessageId(message_id) for (message_id,) in rows][:limit]

    async def list_starred(self) -> list[StarredMessage]:
        rows = await self._db.execute(_STARRED, self._values)
        return [StarredMessage(*row) for row in rows]

    async def list_recent_direct(self) -> dict[ConversationId, MessageId]:
        """The reader's latest direct conversations and the last message of each."""
        rows = await self._db.execute(_RECENT, self._values)
        return {ConversationId(key): MessageId(last) for key, last in rows}

    async def list_people(
        self, conversation_ids: Iterable[ConversationId]
    ) -> dict[ConversationId, list[UserId]]:
        """Who takes part in direct conversations, by id."""
        people: defaultdict[ConversationId, list[UserId]] = defaultdict(list)
        for chunk in chunks(sorted(conversation_ids), _CONVERSATIONS_PER_STATEMENT):
            rows = await self._db.execute(_MEMBERS, {"conversation_ids": chunk})
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


def _split(ids: str | None) -> list[MessageId]:
    return [] if ids is None else sorted(orjson.loads(f"[{ids}]"))
