"""Every SQL statement of fetching messages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
)

from chatapi.auth.users import UserRecord, user_records
from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, RealmId, UserId
from chatapi.db.clocks import LAST_EVENT
from chatapi.db.id_lists import is_one_of
from chatapi.db.index_order import IndexRange
from chatapi.db.models import (
    Conversation,
    ConversationMember,
    Message,
    Subscription,
    User,
    UserTopic,
)
from chatapi.db.opaque_values import opaque_number
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.repository._pages import number_in
from chatapi.narrow import Narrow
from chatapi.narrow.unread import READER, first_unread, values_for, was_received


class HistoryRow(NamedTuple):
    """A message with its text and its topic, for work that concerns a single one."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    sender_id: UserId
    content: str
    arrival: EventNumber | None
    topic: str


_ROW: Select[*tuple[Any, ...]] = select(
    Message.id,
    Message.conversation_id,
    Message.channel_id,
    Message.sender_id,
    Message.content,
    Message.arrival,
    Conversation.topic,
).join(Conversation, Conversation.id == Message.conversation_id)
_FIRST = select(Message.id).limit(1)
_BOUNDS = select(
    func.coalesce(func.min(Message.id), 0).label("low"),
    func.coalesce(func.max(Message.id), 0).label("high"),
).where(Message.realm_id == bindparam("realm_id"))
_CLOCK_ERROR = timedelta(hours=1)
"""How much the clocks of servers may differ, or be set back."""
_ONE = _ROW.where(Message.realm_id == bindparam("realm_id"), Message.id == bindparam("message_id"))
_USERS = user_records.select().where(is_one_of(User.id, "user_ids"))
_MEMBERS = (
    select(ConversationMember.conversation_id, ConversationMember.user_id)
    .where(is_one_of(ConversationMember.conversation_id, "conversation_ids"))
    .order_by(ConversationMember.user_id)
)


def _halved() -> Select[*tuple[int]]:
    """An id before which all messages of a realm are older than a moment; nearly the last such id.

    Times ascend with ids, so this is a binary search: one message is read for each doubling of
    their number.
    """
    within = _BOUNDS.cte("within", recursive=True)
    middle = (within.c.low + within.c.high) // 2
    sent_at = (
        select(Message.sent_at)
        .where(Message.realm_id == bindparam("realm_id"), Message.id >= middle)
        .order_by(Message.id)
        .limit(1)
        .scalar_subquery()
    )
    is_older = sent_at < bindparam("moment", type_=Message.sent_at.type)
    halves = select(
        case((is_older, middle + 1), else_=within.c.low),
        case((is_older, within.c.high), else_=middle),
    ).where(within.c.low < within.c.high)
    return select(func.max(within.union_all(halves).c.low))


_NEAR_MOMENT = _halved()
_PLACE = opaque_number("place")


def _topic_has_policy(*policies: VisibilityPolicy) -> ColumnElement[bool]:
    has_policy = exists().where(
        UserTopic.user_id == READER,
        UserTopic.channel_id == Conversation.channel_id,
        UserTopic.topic_key == Conversation.topic_key,
        # Not `in_`, with which a statement cannot run on the driver.
        or_(*(UserTopic.visibility_policy == policy for policy in policies)),
    )
    return has_policy.correlate(Conversation)


def is_in_unmuted_topic() -> ColumnElement[bool]:
    return ~_topic_has_policy(VisibilityPolicy.MUTED)


def is_unmuted() -> ColumnElement[bool]:
    """The topic is not muted; in a muted channel it must be unmuted or followed."""
    is_channel_muted = exists().where(
        Subscription.user_id == READER,
        Subscription.channel_id == Conversation.channel_id,
        Subscription.is_muted,
    )
    return and_(
        is_in_unmuted_topic(),
        or_(
            ~is_channel_muted.correlate(Conversation),
            _topic_has_policy(VisibilityPolicy.UNMUTED, VisibilityPolicy.FOLLOWED),
        ),
    )


@cache
def _first_unread_of(column: str) -> Select[*tuple[Any, ...]]:
    """In a topic or a channel, and the realm's last event; built once: most searches are these."""
    if column == Message.conversation_id.key:
        found = first_unread(within=(Conversation.id == _PLACE,))
    else:
        found = first_unread(within=(Conversation.channel_id == _PLACE, is_in_unmuted_topic()))
    return found.add_columns(LAST_EVENT)


@cache
def _first_unread_of_feed() -> Select[*tuple[Any, ...]]:
    """Of all that was sent to the reader; built once: apps open it first."""
    was_sent_to_reader = or_(Message.channel_id.is_(None), was_received())
    return first_unread((was_sent_to_reader,), within=(is_unmuted(),))


class HistoryRepository:
    """Messages of a narrow, which includes the reader's access, and their related rows."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def find(self, message_id: MessageId) -> HistoryRow | None:
        rows = await self._db.execute(_ONE, {"realm_id": self._realm_id, "message_id": message_id})
        row = rows.one_or_none()
        return None if row is None else HistoryRow(*row)

    async def find_first_unread(
        self, reader_id: UserId, conditions: Sequence[ColumnElement[bool]]
    ) -> MessageId | None:
        """The conditions refer to messages and their conversations."""
        rows = await self._db.execute(first_unread(tuple(conditions)), values_for(reader_id))
        found = rows.scalar_one()
        return None if found is None else MessageId(found)

    async def find_first_unread_of_feed(self, reader_id: UserId) -> MessageId | None:
        """In all subscribed channels and direct messages, without muted channels and topics."""
        [(found,)] = await self._db.fetch(_first_unread_of_feed(), values_for(reader_id))
        return None if found is None else MessageId(found)

    async def find_first_unread_of(
        self, reader_id: UserId, place: IndexRange
    ) -> tuple[MessageId | None, EventNumber]:
        """In a topic, or in a channel without its muted topics; and when: by a single statement."""
        values = {**values_for(reader_id), "realm_id": self._realm_id, "place": place.value}
        statement = _first_unread_of(str(place.column.key))
        [(found, as_of)] = await self._db.fetch_alone(statement, values)
        return found, as_of

    async def find_first_since(self, narrow: Narrow, moment: datetime) -> MessageId | None:
        values = {"realm_id": self._realm_id, "moment": moment - _CLOCK_ERROR}
        near = (await self._db.execute(_NEAR_MOMENT, values)).scalar_one()
        found: list[int] = []
        for part in narrow.parts:
            since = _FIRST.where(
                part.condition, part.order.since(number_in(near, narrow)), Message.sent_at >= moment
            )
            rows = await self._db.execute(since.order_by(*part.order.ascending))
            found += rows.scalars()
        return MessageId(min(found)) if found else None

    async def list_users(self, user_ids: Iterable[UserId]) -> dict[UserId, UserRecord]:
        rows = await self._db.execute(_USERS, {"user_ids": list(user_ids)})
        users = user_records.read_all(rows)
        return {user.id: user for user in users}

    async def list_people(
        self, conversation_ids: Iterable[ConversationId]
    ) -> dict[ConversationId, list[UserId]]:
        """The participants of direct conversations, ordered by id."""
        people: defaultdict[ConversationId, list[UserId]] = defaultdict(list)
        rows = await self._db.execute(_MEMBERS, {"conversation_ids": list(conversation_ids)})
        for conversation_id, user_id in rows:
            people[ConversationId(conversation_id)].append(UserId(user_id))
        return people
