"""Which messages a reader has not read: worked out from positions and exceptions, in SQL.

A message is unread when an exception says so. Without an exception it is unread above all of
the reader's positions (in everything, in the channel, in the conversation), unless its sender
is the reader and read it while sending. Only channels the reader is in have unread messages.
"""

from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    not_,
    or_,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.orm import InstrumentedAttribute

from chatapi.core.ids import UserId
from chatapi.db.models import (
    Channel,
    Conversation,
    ConversationMember,
    Message,
    ReadCursor,
    ReadException,
    ReadFloor,
    Subscription,
    SubscriptionPeriod,
)

READER: ColumnElement[int] = bindparam("reader_id", type_=Message.sender_id.type)
"""Whoever runs a statement says who reads: `{"reader_id": ...}`."""

FLOOR: ColumnElement[int] = (
    select(func.coalesce(func.max(ReadFloor.message_id), 0))
    .where(ReadFloor.user_id == READER)
    .scalar_subquery()
)

Column = InstrumentedAttribute[Any] | ColumnElement[Any]


def unread_messages(
    *columns: Column, where: tuple[ColumnElement[bool], ...] = ()
) -> tuple[Select[*tuple[Any, ...]], ...]:
    """Three statements that share no message: in channels, in direct messages, and exceptions.

    Each can be ordered and limited for itself, so that nothing is read that is not wanted.
    Conditions may be about Message, Conversation and, in channels, Subscription.
    """
    return (
        _above(_conversations_of_channels(), _POSITION_IN_CHANNEL, columns).where(*where),
        _above(_direct_conversations(), _POSITION_IN_DIRECT, columns).where(*where),
        _excepted(*columns).where(*where),
    )


def newest_unread(
    limit: int, *columns: Column, where: tuple[ColumnElement[bool], ...] = ()
) -> CompoundSelect[*tuple[Any, ...]]:
    """All unread messages, or as many of the newest as the limit says of each kind."""
    parts = unread_messages(Message.id.label("id"), *columns, where=where)
    limited = [part.order_by(Message.id.desc()).limit(limit).subquery() for part in parts]
    return union_all(*(select(part) for part in limited))


def first_unread(where: tuple[ColumnElement[bool], ...] = ()) -> Select[*tuple[int | None]]:
    """The oldest unread message; each conversation is only asked for its first one.

    Conditions may be about Message and Conversation.
    """
    above = (
        (_conversations_of_channels(), _POSITION_IN_CHANNEL),
        (_direct_conversations(), _POSITION_IN_DIRECT),
    )
    parts = []
    for conversations, position in above:
        first = (
            select(Message.id)
            .where(*_is_unread_above(position), *where)
            .order_by(Message.id)
            .limit(1)
            .correlate(Subscription, Conversation, ReadCursor)
            .scalar_subquery()
        )
        with_news = conversations.where(Conversation.last_message_id > position)
        parts.append(with_news.with_only_columns(first.label("id"), maintain_column_froms=True))
    excepted = _excepted(func.min(Message.id).label("id")).where(*where)
    found = union_all(*parts, excepted).subquery()
    return select(func.min(found.c.id))


def values_for(reader_id: UserId) -> dict[str, int]:
    return {"reader_id": reader_id}


def highest(first: Column, *others: Column) -> ColumnElement[int]:
    """The largest of a few numbers; the databases have no function for it in common."""
    top: Column = first
    for other in others:
        top = case((top >= other, top), else_=other)
    return type_coerce(top, Message.id.type)


_CURSOR = func.coalesce(ReadCursor.message_id, 0)
_POSITION_IN_CHANNEL = highest(_CURSOR, Subscription.read_up_to, FLOOR)
_POSITION_IN_DIRECT = highest(_CURSOR, FLOOR)
_HAS_EXCEPTION = exists().where(
    ReadException.user_id == READER, ReadException.message_id == Message.id
)
_IS_READ_BY_SENDER = and_(Message.sender_id == READER, Message.read_by_sender)


def _conversations_of_channels() -> Select[*tuple[int]]:
    """Of the channels the reader is in, as far as something came since they joined."""
    return (
        select(Conversation.id)
        .select_from(Subscription)
        .join(
            Conversation,
            and_(
                Conversation.channel_id == Subscription.channel_id,
                Conversation.last_message_id > Subscription.read_up_to,
            ),
        )
        .outerjoin(ReadCursor, _is_cursor_of_reader())
        .where(Subscription.user_id == READER, Subscription.is_active)
    )


def _direct_conversations() -> Select[*tuple[int]]:
    return (
        select(Conversation.id)
        .select_from(ConversationMember)
        .join(Conversation, Conversation.id == ConversationMember.conversation_id)
        .outerjoin(ReadCursor, _is_cursor_of_reader())
        .where(ConversationMember.user_id == READER)
    )


def _is_unread_above(position: ColumnElement[int]) -> tuple[ColumnElement[bool], ...]:
    return (
        Message.conversation_id == Conversation.id,
        Message.id > position,
        not_(_IS_READ_BY_SENDER),
        not_(_HAS_EXCEPTION),
    )


def _above(
    conversations: Select[*tuple[int]], position: ColumnElement[int], columns: tuple[Column, ...]
) -> Select[*tuple[Any, ...]]:
    """The unread messages above a position."""
    return (
        conversations.join(Message, and_(*_is_unread_above(position)))
        .where(Conversation.last_message_id > position)
        .with_only_columns(*columns)
    )


def _excepted(*columns: Column) -> Select[*tuple[Any, ...]]:
    return (
        select(*columns)
        .select_from(ReadException)
        .join(Message, Message.id == ReadException.message_id)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .outerjoin(Channel, Channel.id == Message.channel_id)
        .outerjoin(
            Subscription,
            and_(Subscription.user_id == READER, Subscription.channel_id == Message.channel_id),
        )
        .where(
            ReadException.user_id == READER,
            not_(ReadException.is_read),
            or_(
                Message.channel_id.is_(None),
                and_(
                    Subscription.is_active,
                    or_(Channel.history_public_to_subscribers, _was_received()),
                ),
            ),
        )
    )


def _is_cursor_of_reader() -> ColumnElement[bool]:
    return and_(ReadCursor.user_id == READER, ReadCursor.conversation_id == Conversation.id)


def _was_received() -> ColumnElement[bool]:
    return exists().where(
        SubscriptionPeriod.user_id == READER,
        SubscriptionPeriod.channel_id == Message.channel_id,
        SubscriptionPeriod.since_message < Message.id,
        or_(
            SubscriptionPeriod.until_message.is_(None),
            SubscriptionPeriod.until_message >= Message.id,
        ),
    )
