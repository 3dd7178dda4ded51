"""Every SQL statement on read receipts, computed from read positions and exceptions only."""

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, or_, select

from chatapi.core.ids import UserId
from chatapi.db.models import (
    ConversationMember,
    ConversationReadPosition,
    GlobalReadPosition,
    MutedUser,
    ReadException,
    Subscription,
    User,
)
from chatapi.db.session import DatabaseSession
from chatapi.db.subscription_periods import was_subscribed
from chatapi.permissions.message_lookup import FoundMessage

Column = ColumnElement[Any]

_Id = User.id.type
_MESSAGE: ColumnElement[int] = bindparam("message_id", type_=_Id)
_CONVERSATION: ColumnElement[int] = bindparam("conversation_id", type_=_Id)
_CHANNEL: ColumnElement[int] = bindparam("channel_id", type_=_Id)
_ARRIVAL: ColumnElement[int] = bindparam("arrival", type_=_Id)
_SENDER: ColumnElement[int] = bindparam("sender_id", type_=_Id)
_ASKING: ColumnElement[int] = bindparam("asking_id", type_=_Id)


def _mutes(one: Column, other: Column) -> ColumnElement[bool]:
    return exists().where(MutedUser.user_id == one, MutedUser.muted_user_id == other)


def _readers(of: Select[*tuple[int]], *positions: Column) -> Select[*tuple[int]]:
    """Which of the users have read the message, and send read receipts."""
    is_below = or_(
        *(
            func.coalesce(position, 0) >= _MESSAGE
            for position in (
                ConversationReadPosition.message_id,
                GlobalReadPosition.message_id,
                *positions,
            )
        )
    )
    is_read = case((ReadException.is_read.is_not(None), ReadException.is_read), else_=is_below)
    lets_know = func.coalesce(User.settings["send_read_receipts"].as_boolean(), True)
    return (
        of.outerjoin(
            ConversationReadPosition,
            and_(
                ConversationReadPosition.user_id == User.id,
                ConversationReadPosition.conversation_id == _CONVERSATION,
            ),
        )
        .outerjoin(GlobalReadPosition, GlobalReadPosition.user_id == User.id)
        .outerjoin(
            ReadException,
            and_(ReadException.user_id == User.id, ReadException.message_id == _MESSAGE),
        )
        .where(
            User.is_active,
            User.id != _SENDER,
            is_read,
            lets_know,
            # Messages of a muted sender count as read, but the user has not read them.
            ~_mutes(User.id, _SENDER),
            ~_mutes(User.id, _ASKING),
            ~_mutes(_ASKING, User.id),
        )
        .order_by(User.id)
    )


_WAS_THERE = was_subscribed(User.id, _CHANNEL, _MESSAGE, _ARRIVAL)
_IN_CHANNEL = _readers(
    select(User.id)
    .join(Subscription, Subscription.user_id == User.id)
    .where(Subscription.channel_id == _CHANNEL, Subscription.is_active, _WAS_THERE),
    Subscription.read_up_to,
)
_IN_DIRECT = _readers(
    select(User.id)
    .join(ConversationMember, ConversationMember.user_id == User.id)
    .where(ConversationMember.conversation_id == _CONVERSATION)
)


class ReceiptRepository:
    """Readers of messages; the caller has checked that the requesting user may see these."""

    def __init__(self, db: DatabaseSession, asking_id: UserId) -> None:
        self._db = db
        self._asking_id = asking_id

    async def list_readers(self, message: FoundMessage) -> list[UserId]:
        """In channels, only of users who were subscribed when the message arrived and still are."""
        values = {
            "message_id": message.id,
            "conversation_id": message.conversation_id,
            "sender_id": message.sender_id,
            "asking_id": self._asking_id,
        }
        if message.channel_id is None:
            rows = await self._db.execute(_IN_DIRECT, values)
        else:
            place = {"channel_id": message.channel_id, "arrival": message.arrival}
            rows = await self._db.execute(_IN_CHANNEL, {**values, **place})
        return [UserId(user_id) for (user_id,) in rows]
