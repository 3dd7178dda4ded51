"""The columns of a reader's flags and read state, and the joins they come from.

For statements on `Message`, or on a subquery that has its columns, with the parameters that
`reader_values` returns.
"""

from collections.abc import Collection
from functools import reduce
from operator import add
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    SQLColumnExpression,
    and_,
    case,
    exists,
    func,
    literal_column,
    or_,
)

from chatapi.core.ids import GroupId, UserId
from chatapi.db.base import aliased
from chatapi.db.highest import highest
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import (
    ConversationReadPosition,
    GroupMention,
    Mention,
    Message,
    MessageFlag,
    ReadException,
    Subscription,
)
from chatapi.narrow.unread import GLOBAL_READ_POSITION, READER

_NO_READER = UserId(0)
"""The id of visitors without an account, who have no flags."""

# Aliases: conditions of a narrow may be about the same tables.
_Position = aliased(ConversationReadPosition)
_Subscription = aliased(Subscription)
_Exception = aliased(ReadException)
_Flag = aliased(MessageFlag)
_Mention = aliased(Mention)
_GroupMention = aliased(GroupMention)
_Earlier = aliased(Message)


def reader_values(reader_id: UserId | None, groups: Collection[GroupId]) -> dict[str, Any]:
    """The parameters of these statements; None is a visitor without an account."""
    return {
        "reader_id": _NO_READER if reader_id is None else reader_id,
        "group_ids": list(groups),
    }


def state_columns(message: Any) -> tuple[SQLColumnExpression[Any], ...]:  # noqa: ANN401 (a class, or columns)
    """The reader's state of a message, as the last fields of MessageState."""
    mentions_group = exists().where(
        _GroupMention.message_id == message.id, is_one_of(_GroupMention.group_id, "group_ids")
    )
    return (
        highest(
            func.coalesce(_Position.message_id, 0),
            func.coalesce(_Subscription.read_up_to, 0),
            GLOBAL_READ_POSITION,
        ),
        _Exception.is_read,
        and_(message.sender_id == READER, message.read_by_sender),
        _Subscription.is_active,
        _Flag.starred,
        _Flag.collapsed,
        _Flag.has_alert_word,
        or_(_Mention.message_id.is_not(None), mentions_group),
        message.mentions_channel,
        mentions_topic_of_reader(message),
    )


def state_number(message: Any) -> ColumnElement[int]:  # noqa: ANN401 (a class, or columns)
    """The same in one number, which `PageState.of` decodes."""
    position, exception, *others = state_columns(message)
    facts = (
        message.channel_id.is_(None),
        message.id > position,
        exception.is_not(None),
        exception,
        *others,
        message.read_by_sender,
        message.mentions_topic,
    )
    bits = (
        case((fact, literal_column(str(1 << place))), else_=literal_column("0"))
        for place, fact in enumerate(facts)
    )
    return reduce(add, bits)


def join_states(
    statement: Select[*tuple[Any, ...]],
    message: Any,  # noqa: ANN401 (a class, or columns)
) -> Select[*tuple[Any, ...]]:
    """A statement on messages, joined with what `state_columns` needs."""
    joins: list[tuple[Any, ColumnElement[bool]]] = [
        (_Position, _Position.conversation_id == message.conversation_id),
        (_Subscription, _Subscription.channel_id == message.channel_id),
        (_Exception, _Exception.message_id == message.id),
        (_Flag, _Flag.message_id == message.id),
        (_Mention, _Mention.message_id == message.id),
    ]
    for table, is_of_message in joins:
        statement = statement.outerjoin(table, and_(table.user_id == READER, is_of_message))
    return statement


def mentions_topic_of_reader(message: Any) -> ColumnElement[bool]:  # noqa: ANN401 (a class, or columns)
    """Whether a message mentions the participants of its topic, and the reader is one."""
    took_part = exists().where(
        _Earlier.conversation_id == message.conversation_id,
        _Earlier.sender_id == READER,
        _Earlier.id <= message.id,
    )
    # Without the case expression, SQLite would look for earlier messages for every message.
    return case((message.mentions_topic, took_part), else_=False)
