"""Unread messages of a reader, computed in SQL from read positions and read exceptions.

A message is unread when a read exception says so. Without an exception it is unread above all of
the reader's positions (global, of the channel, of the conversation), unless its sender is the
reader and read it while sending. Only subscribed channels have unread messages.

Statements start from the conversations with new messages and look up the messages of each:
databases that estimate rows would otherwise scan all messages to find the few unread ones.
"""

from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    and_,
    exists,
    func,
    not_,
    or_,
    select,
    union_all,
)

from chatapi.core.ids import UserId
from chatapi.db.highest import highest
from chatapi.db.models import (
    Channel,
    Conversation,
    ConversationMember,
    ConversationReadPosition,
    GlobalReadPosition,
    Message,
    ReadException,
    Subscription,
)
from chatapi.db.opaque_values import opaque_number
from chatapi.db.subscription_periods import was_subscribed

READER = opaque_number("reader_id")
"""A parameter: the reader's id is given when a statement is executed."""
GLOBAL_READ_POSITION: ColumnElement[int] = (
    select(func.coalesce(func.max(GlobalReadPosition.message_id), 0))
    .where(GlobalReadPosition.user_id == READER)
    .scalar_subquery()
)

Column = ColumnElement[Any]


def values_for(reader_id: UserId) -> dict[str, int]:
    return {"reader_id": reader_id}


class UnreadCandidates(NamedTuple):
    """Conversations that may have unread messages, and the read position of each."""

    conversations: Select[*tuple[int]]
    position: ColumnElement[int]


def unread_candidates() -> tuple[UnreadCandidates, UnreadCandidates]:
    """The candidates in subscribed channels, and in direct messages."""
    position = func.coalesce(ConversationReadPosition.message_id, 0)
    in_channels = highest(position, Subscription.read_up_to, GLOBAL_READ_POSITION)
    in_direct = highest(position, GLOBAL_READ_POSITION)
    channels = (
        select(Conversation.id)
        .select_from(Subscription)
        .join(
            Conversation,
            and_(
                Conversation.channel_id == Subscription.channel_id,
                Conversation.last_message_id > Subscription.read_up_to,
            ),
        )
        .outerjoin(ConversationReadPosition, _is_position_of_reader())
        .where(
            Subscription.user_id == READER,
            Subscription.is_active,
            Conversation.last_message_id > in_channels,
        )
    )
    direct = (
        select(Conversation.id)
        .select_from(ConversationMember)
        .join(Conversation, Conversation.id == ConversationMember.conversation_id)
        .outerjoin(ConversationReadPosition, _is_position_of_reader())
        .where(ConversationMember.user_id == READER, Conversation.last_message_id > in_direct)
    )
    return UnreadCandidates(channels, in_channels), UnreadCandidates(direct, in_direct)


def is_unread_above(
    position: ColumnElement[int], *, may_have_exceptions: bool = True
) -> tuple[ColumnElement[bool], ...]:
    """Conditions for unread messages above a position, apart from exceptions.

    For readers who are known to have none, none is searched for.
    """
    conditions = (
        Message.id > position,
        not_(and_(Message.sender_id == READER, Message.read_by_sender)),
    )
    if not may_have_exceptions:
        return conditions
    has_exception = exists().where(
        ReadException.user_id == READER, ReadException.message_id == Message.id
    )
    return *conditions, not_(has_exception.correlate(Message))


def in_each(
    unread_candidates: UnreadCandidates,
    messages: Select[*tuple[Any, ...]],
    *,
    may_have_exceptions: bool = True,
) -> Select[*tuple[Any, ...]]:
    """The unread ones among some messages, evaluated for each conversation separately."""
    position = unread_candidates.position
    return messages.where(
        Message.conversation_id == Conversation.id,
        *is_unread_above(position, may_have_exceptions=may_have_exceptions),
    ).correlate(Subscription, ConversationMember, Conversation, ConversationReadPosition)


def first_unread(
    where: tuple[ColumnElement[bool], ...] = (), *, within: tuple[ColumnElement[bool], ...] = ()
) -> Select[*tuple[int | None]]:
    """The oldest unread message.

    The conditions `where` may be about Message and Conversation. Those of `within` are about
    Conversation alone: only the conversations for which they hold are searched.
    """
    parts: list[Select[*tuple[Any, ...]]] = []
    for part in unread_candidates():
        oldest = select(Message.id).where(*where).order_by(Message.id).limit(1)
        first = in_each(part, oldest).scalar_subquery()
        parts.append(
            part.conversations.where(*within).with_only_columns(
                first.label("id"), maintain_column_froms=True
            )
        )
    excepted = unread_exceptions(func.min(Message.id).label("id")).where(*within, *where)
    found = union_all(*parts, excepted).subquery()
    return select(func.min(found.c.id))


def unread_messages(
    *columns: Column, where: tuple[ColumnElement[bool], ...] = ()
) -> CompoundSelect[*tuple[Any, ...]]:
    """All unread messages: in channels, in direct messages, and by exception.

    Conditions and columns may be about Message and Conversation.
    """
    parts = [
        part.conversations.join(Message, Message.conversation_id == Conversation.id)
        .where(*is_unread_above(part.position), *where)
        .with_only_columns(*columns)
        for part in unread_candidates()
    ]
    return union_all(*parts, unread_exceptions(*columns).where(*where))


def was_received() -> ColumnElement[bool]:
    """Whether the reader was subscribed to the channel when a message came there."""
    was_there = was_subscribed(READER, Message.channel_id, Message.id, Message.arrival)
    return was_there.correlate(Message)


def unread_exceptions(*columns: Column) -> Select[*tuple[Any, ...]]:
    """Messages that are unread by exception: below a position, or read while sending."""
    is_open = or_(Channel.history_public_to_subscribers, was_received())
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
            or_(Message.channel_id.is_(None), and_(Subscription.is_active, is_open)),
        )
    )


def _is_position_of_reader() -> ColumnElement[bool]:
    return and_(
        ConversationReadPosition.user_id == READER,
        ConversationReadPosition.conversation_id == Conversation.id,
    )
