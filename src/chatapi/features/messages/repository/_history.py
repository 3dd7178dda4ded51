"""Every SQL statement of fetching messages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
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
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import (
    Conversation,
    ConversationMember,
    Message,
    Subscription,
    User,
    UserTopic,
)
from chatapi.db.session import DatabaseSession
from chatapi.narrow import Narrow
from chatapi.narrow.unread import READER, first_unread, values_for


class HistoryRow(NamedTuple):
    """A message with its topic; a tuple for speed, since a page has hundreds of them."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    sender_id: UserId
    content: str
    rendered_content: str
    sent_at: datetime
    client_name: str
    is_me_message: bool
    has_widget: bool
    arrival: EventNumber | None
    last_edited_at: datetime | None
    last_moved_at: datetime | None
    topic: str
    renamed_up_to: MessageId | None


_ROWS: Select[*tuple[Any, ...]] = select(
    Message.id,
    Message.conversation_id,
    Message.channel_id,
    Message.sender_id,
    Message.content,
    Message.rendered_content,
    Message.sent_at,
    Message.client_name,
    Message.is_me_message,
    Message.has_widget,
    Message.arrival,
    Message.last_edited_at,
    Message.last_moved_at,
    Conversation.topic,
    Conversation.renamed_up_to,
).join(Conversation, Conversation.id == Message.conversation_id)
_FIRST = select(Message.id).limit(1)
_BOUNDS = select(
    func.coalesce(func.min(Message.id), 0).label("low"),
    func.coalesce(func.max(Message.id), 0).label("high"),
).where(Message.realm_id == bindparam("realm_id"))
_FEWEST_SEARCHED = 100
_CLOCK_ERROR = timedelta(hours=1)
"""How much the clocks of servers may differ, or be set back."""
_ONE = _ROWS.where(Message.realm_id == bindparam("realm_id"), Message.id == bindparam("message_id"))
_USERS = user_records.select().where(is_one_of(User.id, "user_ids"))
_MEMBERS = (
    select(ConversationMember.conversation_id, ConversationMember.user_id)
    .where(is_one_of(ConversationMember.conversation_id, "conversation_ids"))
    .order_by(ConversationMember.user_id)
)


def _number(number: int, narrow: Narrow) -> ColumnElement[int]:
    """A literal in the statement where words are searched, like the words themselves; else bound.

    PostgreSQL plans differently for few messages than for all, and for common and rare words; a
    prepared statement would use the same plan for all.
    """
    is_written_out = narrow.search is not None
    return bindparam(None, number, type_=BigInteger, literal_execute=is_written_out, unique=True)


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


def _by_id(found: dict[MessageId, HistoryRow]) -> list[HistoryRow]:
    return sorted(found.values(), key=attrgetter("id"))


def _topic_has_policy(*policies: VisibilityPolicy) -> ColumnElement[bool]:
    has_policy = exists().where(
        UserTopic.user_id == READER,
        UserTopic.channel_id == Conversation.channel_id,
        UserTopic.topic_key == Conversation.topic_key,
        UserTopic.visibility_policy.in_(policies),
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


class HistoryRepository:
    """Messages of a narrow, which includes the reader's access, and their related rows."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_up_to(self, narrow: Narrow, message_id: int, limit: int) -> list[HistoryRow]:
        """The last messages up to and including an id, the oldest first."""
        found: dict[MessageId, HistoryRow] = {}
        for part in narrow.parts:
            statement = _ROWS.where(
                part.condition, part.order.up_to(_number(message_id, narrow))
            ).order_by(*part.order.descending)
            found |= await self._read(statement.limit(self._limit(limit, narrow)))
        return _by_id(found)[-limit:]

    async def list_from(self, narrow: Narrow, message_id: int, limit: int) -> list[HistoryRow]:
        """The first messages from an id on, including it."""
        found: dict[MessageId, HistoryRow] = {}
        for part in narrow.parts:
            statement = _ROWS.where(
                part.condition, part.order.since(_number(message_id, narrow))
            ).order_by(*part.order.ascending)
            found |= await self._read(statement.limit(self._limit(limit, narrow)))
        return _by_id(found)[:limit]

    def _limit(self, limit: int, narrow: Narrow) -> ColumnElement[int]:
        """How many rows to request; where SQLite searches for words, never only a few.

        For a small limit, it scans all messages of a conversation or channel and searches for the
        words in each.
        """
        if narrow.search is not None and self._db.database.is_sqlite:
            limit = max(limit, _FEWEST_SEARCHED)
        return _number(limit, narrow)

    async def list_some(self, narrow: Narrow, message_ids: Sequence[int]) -> list[HistoryRow]:
        found: dict[MessageId, HistoryRow] = {}
        for part in narrow.parts:
            there = _ROWS.where(part.condition, part.order.holds)
            found |= await self._read(there.where(Message.id.in_(message_ids)))
        return _by_id(found)

    async def _read(self, statement: Select[*tuple[Any, ...]]) -> dict[MessageId, HistoryRow]:
        rows = await self._db.execute(statement)
        return {row[0]: HistoryRow(*row) for row in rows.all()}

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

    async def find_first_since(self, narrow: Narrow, moment: datetime) -> MessageId | None:
        values = {"realm_id": self._realm_id, "moment": moment - _CLOCK_ERROR}
        near = (await self._db.execute(_NEAR_MOMENT, values)).scalar_one()
        found: list[int] = []
        for part in narrow.parts:
            since = _FIRST.where(
                part.condition, part.order.since(_number(near, narrow)), Message.sent_at >= moment
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
