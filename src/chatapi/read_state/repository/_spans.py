"""Spans of unread messages: their bounds, and the messages in them."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    exists,
    func,
    not_,
    select,
    union_all,
)

from chatapi.core.ids import ChannelId, ConversationId, MessageId, UserId
from chatapi.db.base import TableColumn, aliased
from chatapi.db.highest import highest
from chatapi.db.id_lists import is_one_of, joined_ids, split_ids
from chatapi.db.models import (
    Conversation,
    ConversationReadPosition,
    GlobalReadPosition,
    Message,
    MessageEdit,
    ReadException,
    Subscription,
)
from chatapi.db.session import DatabaseSession
from chatapi.narrow.unread import GLOBAL_READ_POSITION, READER, values_for
from chatapi.read_state.spans import Span

MAX_UNREAD = 50_000
"""The most unread messages that a client receives; the newest ones."""

_CONVERSATION = bindparam("conversation_id", type_=BigInteger)
_CHANNEL = bindparam("channel_id", type_=BigInteger)
_IS_MINE = and_(Subscription.user_id == READER, Subscription.is_active)
_AS_OF = select(func.coalesce(func.max(MessageEdit.id), 0)).scalar_subquery()

_BOUNDS_OF_TOPIC = (
    select(
        highest(
            func.coalesce(ConversationReadPosition.message_id, 0),
            Subscription.read_up_to,
            GLOBAL_READ_POSITION,
        ),
        Conversation.last_message_id,
        _AS_OF,
    )
    .select_from(Conversation)
    .join(Subscription, and_(_IS_MINE, Subscription.channel_id == Conversation.channel_id))
    .outerjoin(
        ConversationReadPosition,
        and_(
            ConversationReadPosition.user_id == READER,
            ConversationReadPosition.conversation_id == Conversation.id,
        ),
    )
    .where(Conversation.id == _CONVERSATION)
)
_BOUNDS_OF_CHANNEL = (
    select(
        highest(Subscription.read_up_to, GLOBAL_READ_POSITION),
        func.max(Conversation.last_message_id),
        _AS_OF,
    )
    .join(Conversation, Conversation.channel_id == Subscription.channel_id)
    .where(_IS_MINE, Subscription.channel_id == _CHANNEL)
    .group_by(Subscription.read_up_to)
)
_EXCEPTIONS = select(ReadException.message_id).where(
    ReadException.user_id == READER, ~ReadException.is_read
)
_EXCEPTIONS_IN_TOPIC = _EXCEPTIONS.where(ReadException.conversation_id == _CONVERSATION)
_EXCEPTIONS_IN_CHANNEL = _EXCEPTIONS.join(
    Conversation, Conversation.id == ReadException.conversation_id
).where(Conversation.channel_id == _CHANNEL)
_OF_MANY = (
    is_one_of(Subscription.channel_id, "channel_ids"),
    is_one_of(Subscription.user_id, "user_ids"),
)
_BOUNDS_OF_MANY: Select[*tuple[Any, ...]] = (
    select(
        Subscription.channel_id,
        Subscription.user_id,
        highest(Subscription.read_up_to, func.coalesce(GlobalReadPosition.message_id, 0)),
        select(func.max(Conversation.last_message_id))
        .where(Conversation.channel_id == Subscription.channel_id)
        .correlate(Subscription)
        .scalar_subquery(),
        _AS_OF,
    )
    .outerjoin(GlobalReadPosition, GlobalReadPosition.user_id == Subscription.user_id)
    .where(*_OF_MANY, Subscription.is_active)
)
_EXCEPTIONS_OF_MANY: Select[*tuple[Any, ...]] = (
    select(Conversation.channel_id, ReadException.user_id, ReadException.message_id)
    .join(Conversation, Conversation.id == ReadException.conversation_id)
    .where(
        is_one_of(Conversation.channel_id, "channel_ids"),
        is_one_of(ReadException.user_id, "user_ids"),
        not_(ReadException.is_read),
    )
    .order_by(ReadException.message_id)
)
_IN_CHANNELS: Select[*tuple[Any, ...]] = (
    select(Message.channel_id, Message.id)
    .where(
        is_one_of(Message.channel_id, "channel_ids"),
        Message.id > bindparam("above", type_=BigInteger),
    )
    .order_by(Message.id)
    .limit(bindparam("most", type_=BigInteger))
)
_since = aliased(MessageEdit)


def _newest(
    is_here: ColumnElement[bool],
    left_place: TableColumn[int | None],
    place: ColumnElement[int],
) -> Select[*tuple[str | None]]:
    """The messages that were in a place as of an edit: not moved there since, or moved away since.

    `left_place` is the column with the place that a move took a message from: of several moves
    since then, the first one shows where the message was. Many ids are returned as one text:
    thousands of rows would take ten times as long to fetch.
    """
    as_of = bindparam("as_of", type_=BigInteger)
    other_place: TableColumn[int | None] = getattr(_since, left_place.key)
    was_moved = exists().where(
        _since.message_id == Message.id, _since.id > as_of, other_place.is_not(None)
    )
    stayed = select(Message.id.label("id")).where(
        is_here,
        *_between(Message.id),
        # Most messages were never moved, which shows without reading their edits.
        not_(and_(Message.last_moved_at.is_not(None), was_moved.correlate(Message))),
    )
    was_moved_before = exists().where(
        _since.message_id == MessageEdit.message_id,
        _since.id > as_of,
        _since.id < MessageEdit.id,
        other_place.is_not(None),
    )
    left = select(MessageEdit.message_id.label("id")).where(
        left_place == place,
        MessageEdit.id > as_of,
        *_between(MessageEdit.message_id),
        not_(was_moved_before.correlate(MessageEdit)),
    )
    parts = [
        select(part.subquery().c.id)
        for part in (_newest_first(stayed, Message.id), _newest_first(left, MessageEdit.message_id))
    ]
    both = union_all(*parts).subquery()
    newest = select(both.c.id).order_by(both.c.id.desc()).limit(MAX_UNREAD).subquery()
    return select(joined_ids(newest.c.id))


def _between(number: TableColumn[Any]) -> tuple[ColumnElement[bool], ...]:
    return (
        number > bindparam("above", type_=BigInteger),
        number <= bindparam("up_to", type_=BigInteger),
    )


def _newest_first(
    messages: Select[*tuple[Any, ...]], number: TableColumn[Any]
) -> Select[*tuple[Any, ...]]:
    return messages.order_by(number.desc()).limit(MAX_UNREAD)


_NEWEST_IN_TOPIC = _newest(
    Message.conversation_id == _CONVERSATION, MessageEdit.prev_conversation_id, _CONVERSATION
)
_NEWEST_IN_CHANNEL = _newest(Message.channel_id == _CHANNEL, MessageEdit.prev_channel_id, _CHANNEL)


class Unread(Struct, frozen=True):
    """Unread messages: those above a position, and single messages below it."""

    span: Span
    excepted: list[MessageId]

    def __bool__(self) -> bool:
        return bool(self.excepted) or self.span["above"] < self.span["up_to"]


class SpanRepository:
    """Finds the bounds of unread messages without reading each of them."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def find_in_topic(
        self, reader_id: UserId, conversation_id: ConversationId
    ) -> Unread | None:
        """None for a topic of a channel to which the reader is not subscribed."""
        values = {**values_for(reader_id), "conversation_id": conversation_id}
        bounds = (await self._db.execute(_BOUNDS_OF_TOPIC, values)).one_or_none()
        if bounds is None:
            return None
        excepted = await self._db.execute(_EXCEPTIONS_IN_TOPIC, values)
        span: Span = {
            "conversation_id": conversation_id,
            "channel_id": None,
            "above": MessageId(bounds[0]),
            "up_to": MessageId(bounds[1]),
            "as_of": bounds[2],
        }
        return Unread(span, [MessageId(message_id) for (message_id,) in excepted])

    async def find_in_channel(self, reader_id: UserId, channel_id: ChannelId) -> Unread | None:
        """None for a channel to which the reader is not subscribed, or without messages."""
        values = {**values_for(reader_id), "channel_id": channel_id}
        bounds = (await self._db.execute(_BOUNDS_OF_CHANNEL, values)).one_or_none()
        if bounds is None:
            return None
        excepted = await self._db.execute(_EXCEPTIONS_IN_CHANNEL, values)
        span: Span = {
            "conversation_id": None,
            "channel_id": channel_id,
            "above": MessageId(bounds[0]),
            "up_to": MessageId(bounds[1]),
            "as_of": bounds[2],
        }
        return Unread(span, [MessageId(message_id) for (message_id,) in excepted])

    async def find_in_channels(
        self, channel_ids: Sequence[ChannelId], user_ids: Sequence[UserId]
    ) -> dict[tuple[ChannelId, UserId], Unread]:
        """The same for each of some users in each of the channels to which they are subscribed."""
        values = {"channel_ids": list(channel_ids), "user_ids": list(user_ids)}
        excepted: defaultdict[tuple[int, int], list[MessageId]] = defaultdict(list)
        for channel_id, user_id, message_id in await self._db.execute(_EXCEPTIONS_OF_MANY, values):
            excepted[channel_id, user_id].append(MessageId(message_id))
        found: dict[tuple[ChannelId, UserId], Unread] = {}
        for channel_id, user_id, above, up_to, as_of in await self._db.execute(
            _BOUNDS_OF_MANY, values
        ):
            span: Span = {
                "conversation_id": None,
                "channel_id": channel_id,
                "above": MessageId(above),
                "up_to": MessageId(up_to or 0),
                "as_of": as_of,
            }
            found[channel_id, user_id] = Unread(span, excepted[channel_id, user_id])
        return found

    async def list_each(self, spans: Sequence[Span], most: int) -> list[list[MessageId]] | None:
        """The current messages of each of some channel spans; None if more than `most` in all."""
        if not spans:
            return []
        values = {
            "channel_ids": sorted({span["channel_id"] or 0 for span in spans}),
            "above": min(span["above"] for span in spans),
            "most": most + 1,
        }
        rows = (await self._db.execute(_IN_CHANNELS, values)).all()
        if len(rows) > most:
            return None
        in_channel: defaultdict[int, list[MessageId]] = defaultdict(list)
        for channel_id, number in rows:
            in_channel[channel_id].append(MessageId(number))
        listed: list[list[MessageId]] = []
        total = 0
        for span in spans:
            of_channel = in_channel[span["channel_id"] or 0]
            first = bisect_right(of_channel, span["above"])
            last = bisect_right(of_channel, span["up_to"])
            total += last - first
            if total > most:
                return None
            listed.append(of_channel[first:last])
        return listed

    async def list_newest(self, span: Span) -> list[MessageId]:
        """The messages that a span contained at its time, at most the newest MAX_UNREAD.

        The result does not depend on when it is called: moves since then are undone. Deleted
        messages are not listed.
        """
        is_topic = span["channel_id"] is None
        rows = await self._db.execute(_NEWEST_IN_TOPIC if is_topic else _NEWEST_IN_CHANNEL, span)
        return split_ids(rows.scalar_one())
