"""Finds the unread messages of a reader."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    bindparam,
    case,
    or_,
    select,
    union_all,
)

from chatapi.core.ids import ChannelId, ConversationId, GroupId, MessageId, UserId
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


class UnreadConversation(NamedTuple):
    """The ids of the unread messages of one conversation."""

    id: ConversationId
    channel_id: ChannelId | None
    topic: str
    message_ids: list[MessageId]
    mention_ids: list[MessageId]


class UnreadRepository:
    """The unread messages of one reader; cost depends on what is unread, not on what is stored."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id
        self._values = values_for(user_id)

    async def list_all(
        self, groups: Collection[GroupId], newest: MessageId
    ) -> list[UnreadConversation]:
        """All unread messages up to the newest message, at most MAX_UNREAD.

        Users who never read have more than a client receives: the search goes back from the newest
        message step by step, until there are enough.
        """
        found = _Findings()
        by_conversation = BY_CONVERSATION
        if await _exceptions.may_exist(self._db, self._user_id):
            by_conversation = _BESIDE_EXCEPTIONS
            excepted = await self._db.fetch(_EXCEPTED, self._values)
            for conversation_id, channel_id, topic, marked_id in excepted:
                found.add(conversation_id, channel_id, topic, [marked_id])
        up_to, step = int(newest), _FIRST_STEP
        while up_to > 0 and found.count < MAX_UNREAD:
            after = max(newest - step, 0)
            window = {**self._values, "after": after, "up_to": up_to}
            rows = await self._db.fetch(by_conversation, window)
            for conversation_id, channel_id, topic, ids in rows:
                found.add(conversation_id, channel_id, topic, split_ids(ids))
            up_to, step = after, step * _LONGER_BY
        found.cut_to(MAX_UNREAD)
        await self._add_mentions(found, groups)
        return found.conversations()

    async def _add_mentions(self, found: "_Findings", groups: Collection[GroupId]) -> None:
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


class _Findings:
    """Unread messages as they are found, by conversation.

    There may be MAX_UNREAD of them, so nothing here runs Python code for each of them, except for
    wildcard mentions, which are rare.
    """

    def __init__(self) -> None:
        self.count = 0
        self._places: dict[int, tuple[int | None, str]] = {}
        self._ids: dict[int, list[MessageId]] = {}
        self._mentions: defaultdict[int, set[MessageId]] = defaultdict(set)
        """By conversation; also of messages that are not unread."""

    def add(
        self, conversation_id: int, channel_id: int | None, topic: str, marked: list[MessageId]
    ) -> None:
        if not marked:
            return
        self._places[conversation_id] = channel_id, topic
        self.count += len(marked)
        marked.sort()
        if marked[0] < 0:
            first_unmarked = bisect_left(marked, 0)
            mentions = [MessageId(-number) for number in marked[:first_unmarked]]
            self.add_mentions(conversation_id, mentions)
            marked[:first_unmarked] = mentions
            marked.sort()
        known = self._ids.setdefault(conversation_id, marked)
        if known is not marked:
            known += marked
            known.sort()

    def add_mentions(self, conversation_id: int, message_ids: Iterable[MessageId]) -> None:
        self._mentions[conversation_id].update(message_ids)

    @property
    def oldest(self) -> MessageId | None:
        return min((ids[0] for ids in self._ids.values() if ids), default=None)

    def cut_to(self, limit: int) -> None:
        """Keep only the newest ones."""
        if self.count > limit:
            oldest = sorted(chain.from_iterable(self._ids.values()))[-limit]
            for ids in self._ids.values():
                del ids[: bisect_left(ids, oldest)]

    def conversations(self) -> list[UnreadConversation]:
        return [self._show(key) for key in sorted(self._ids) if self._ids[key]]

    def _show(self, conversation_id: int) -> UnreadConversation:
        channel_id, topic = self._places[conversation_id]
        ids = self._ids[conversation_id]
        # Most conversations have none.
        mentions = self._mentions.get(conversation_id, ())
        return UnreadConversation(
            ConversationId(conversation_id),
            None if channel_id is None else ChannelId(channel_id),
            topic,
            ids,
            [each for each in sorted(mentions) if _is_among(each, ids)] if mentions else [],
        )


def _is_among(message_id: MessageId, ids: list[MessageId]) -> bool:
    """Whether a sorted list has an id; there are few mentions and perhaps many messages."""
    place = bisect_left(ids, message_id)
    return place < len(ids) and ids[place] == message_id
