"""Finds the unread messages of a reader."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    bindparam,
    case,
    null,
    or_,
    select,
    union_all,
)

from chatapi.core.ids import ConversationId, GroupId, MessageId, UserId
from chatapi.db.highest import highest
from chatapi.db.id_lists import is_one_of, joined_ids, split_ids
from chatapi.db.models import Conversation, GroupMention, Mention, Message, ReadException
from chatapi.db.opaque_values import opaque_number
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows
from chatapi.narrow.unread import (
    in_each,
    is_unread_above,
    unread_candidates,
    unread_exceptions,
    values_for,
)
from chatapi.read_state.repository._spans import MAX_UNREAD
from chatapi.read_state.repository._state_columns import mentions_topic_of_reader
from chatapi.read_state.repository._topic_messages import TopicMessagesRepository, UnreadSpan
from chatapi.read_state.repository._unread_findings import UnreadFindings, UnreadMessages

_FIRST_STEP = 60_000
_LONGER_BY = 20
"""How far back to search first, in message ids, and by which factor this grows with each step."""


def _number(name: str) -> ColumnElement[int]:
    return bindparam(name, type_=BigInteger)


_IS_CALL = or_(Message.mentions_channel, mentions_topic_of_reader(Message))
_MARKED_ID = case((_IS_CALL, -Message.id), else_=Message.id).label("id")
"""A negative id marks a message with a wildcard mention of the channel or topic."""


def _by_conversation(*, may_have_exceptions: bool) -> CompoundSelect[*tuple[Any, ...]]:
    """The newest unread messages of every conversation, between two ids; None where none is."""
    after, up_to = _number("after"), _number("up_to")
    parts = []
    for part in unread_candidates():
        newest = (
            select(_MARKED_ID)
            .where(Message.id <= up_to)
            .order_by(Message.id.desc())
            .limit(MAX_UNREAD)
        )
        window = part._replace(position=highest(part.position, after))
        found = in_each(window, newest, may_have_exceptions=may_have_exceptions).subquery()
        parts.append(
            part.conversations.where(Conversation.last_message_id > after).with_only_columns(
                Conversation.id.label("id"),
                Conversation.channel_id.label("channel_id"),
                Conversation.topic.label("topic"),
                select(joined_ids(found.c.id)).scalar_subquery().label("ids"),
                maintain_column_froms=True,
            )
        )
    # Sorted, since PostgreSQL would otherwise send each row as soon as it is found: receiving many
    # small packets takes longer than receiving all rows at once.
    return union_all(*parts).order_by("id")


def _positions() -> CompoundSelect[*tuple[Any, ...]]:
    """Topics with new messages, and from where they are new; of direct conversations their ids."""
    in_channels, in_direct = unread_candidates()
    after = _number("after")
    newest = select(_MARKED_ID).order_by(Message.id.desc()).limit(MAX_UNREAD)
    window = in_direct._replace(position=highest(in_direct.position, after))
    found = in_each(window, newest, may_have_exceptions=False).subquery()
    parts = (
        in_channels.conversations.with_only_columns(
            Conversation.id.label("id"),
            highest(in_channels.position, after).label("position"),
            Conversation.last_message_id,
            null().label("ids"),
            maintain_column_froms=True,
        ),
        in_direct.conversations.with_only_columns(
            Conversation.id,
            null(),
            Conversation.last_message_id,
            select(joined_ids(found.c.id)).scalar_subquery(),
            maintain_column_froms=True,
        ),
    )
    return union_all(
        *(part.where(Conversation.last_message_id > after) for part in parts)
    ).order_by("id")


BY_CONVERSATION = _by_conversation(may_have_exceptions=False)
"""For readers without read exceptions: most of them."""
_BESIDE_EXCEPTIONS = _by_conversation(may_have_exceptions=True)
_exceptions = OwnedRows(ReadException.user_id)
_EXCEPTED = (
    unread_exceptions(Conversation.id, Conversation.channel_id, Conversation.topic, _MARKED_ID)
    .order_by(Message.id.desc())
    .limit(MAX_UNREAD)
)
_mentioning = union_all(
    select(Mention.message_id).where(
        Mention.user_id == opaque_number("reader_id"),
        Mention.message_id >= opaque_number("oldest"),
    ),
    select(GroupMention.message_id).where(
        is_one_of(GroupMention.group_id, "group_ids"),
        GroupMention.message_id >= opaque_number("oldest"),
    ),
).subquery()
_MENTIONS = (
    select(Message.conversation_id, joined_ids(Message.id))
    .join(_mentioning, _mentioning.c.message_id == Message.id)
    .group_by(Message.conversation_id)
)
_POSITIONS = _positions()
_TOOK_PART = select(Message.conversation_id, Message.id).where(
    is_one_of(Message.id, "message_ids"), mentions_topic_of_reader(Message)
)
_FIRST_IN_CONVERSATION = (
    select(Message.id)
    .where(
        Message.conversation_id == _number("conversation_id"),
        *is_unread_above(_number("position")),
    )
    .order_by(Message.id)
    .limit(_number("limit"))
)
_EXCEPTED_IN_CONVERSATION = unread_exceptions(Message.id).where(
    ReadException.conversation_id == _number("conversation_id")
)


class UnreadRepository:
    """The unread messages of one reader; cost depends on what is unread, not on what is stored."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id
        self._values = values_for(user_id)

    async def list_all(
        self, groups: Collection[GroupId], newest: MessageId, in_memory: TopicMessagesRepository
    ) -> UnreadMessages:
        """All unread messages up to the newest message, at most MAX_UNREAD.

        Users who never read have more than a client receives: the search goes back from the newest
        message step by step, until there are enough. For most readers, the messages of the first
        step are in memory.
        """
        found = UnreadFindings()
        by_conversation = BY_CONVERSATION
        if await _exceptions.may_exist(self._db, self._user_id):
            by_conversation = _BESIDE_EXCEPTIONS
            excepted = await self._db.fetch(_EXCEPTED, self._values)
            for conversation_id, channel_id, topic, marked_id in excepted:
                found.add_marked(conversation_id, channel_id, topic, [marked_id])
        up_to, step = int(newest), _FIRST_STEP
        if up_to > 0 and by_conversation is BY_CONVERSATION:
            recent = await self._find_recent(MessageId(max(newest - step, 0)), in_memory)
            if recent is not None:
                found = recent
                up_to, step = max(newest - step, 0), step * _LONGER_BY
        while up_to > 0 and found.count < MAX_UNREAD:
            after = max(newest - step, 0)
            window = {**self._values, "after": after, "up_to": up_to}
            rows = await self._db.fetch(by_conversation, window)
            for conversation_id, channel_id, topic, ids in rows:
                found.add_marked(conversation_id, channel_id, topic, split_ids(ids))
            up_to, step = after, step * _LONGER_BY
        found.cut_to(MAX_UNREAD)
        await self._add_mentions(found, groups)
        return found.result()

    async def _find_recent(
        self, after: MessageId, in_memory: TopicMessagesRepository
    ) -> UnreadFindings | None:
        """Find what is unread after a message; None if a topic has more than is kept in memory.

        The reader must not have read exceptions.
        """
        rows = await self._db.fetch(_POSITIONS, {**self._values, "after": after})
        spans = {
            ConversationId(key): UnreadSpan(position, last)
            for key, position, last, _ in rows
            if position is not None
        }
        topics = await in_memory.load(spans)
        if topics is None:
            return None
        found = UnreadFindings()
        topic_calls: list[MessageId] = []
        for key, span in spans.items():
            topic = topics[key]
            unread = topic.unread(self._user_id, *span)
            if unread is not None:
                found.add(unread)
            if topic.calls:
                found.add_mentions(key, topic.calls)
            topic_calls += topic.topic_calls
        for key, position, _, ids in rows:
            if position is None:
                found.add_marked(key, None, "", split_ids(ids))
        if topic_calls:
            values = {**self._values, "message_ids": topic_calls}
            for key, message_id in await self._db.fetch(_TOOK_PART, values):
                found.add_mentions(key, [message_id])
        return found

    async def _add_mentions(self, found: UnreadFindings, groups: Collection[GroupId]) -> None:
        """Add which of the messages mention the reader by name or by group."""
        if found.oldest is None:
            return
        values = {**self._values, "group_ids": list(groups), "oldest": found.oldest}
        for conversation_id, ids in await self._db.fetch(_MENTIONS, values):
            found.add_mentions(conversation_id, split_ids(ids))

    async def list_first(
        self, conversation_id: ConversationId, position: MessageId, limit: int
    ) -> list[MessageId]:
        """The oldest unread messages of a conversation, up to the limit, or all."""
        values = {
            **self._values,
            "conversation_id": conversation_id,
            "position": position,
            "limit": limit,
        }
        above = await self._db.execute(_FIRST_IN_CONVERSATION, values)
        excepted = await self._db.execute(_EXCEPTED_IN_CONVERSATION, values)
        found = [message_id for rows in (above, excepted) for (message_id,) in rows]
        return sorted(MessageId(number) for number in found)[:limit]
