"""Keeps read messages read, and unread messages unread, when they are moved.

A conversation has a read position per user. Where messages are merged into a conversation with
another position, the difference is stored as read exceptions, message by message.
"""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Insert,
    Select,
    Subquery,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
    type_coerce,
    update,
)

from chatapi.core.ids import ChannelId, ConversationId, MessageId
from chatapi.db.base import aliased
from chatapi.db.highest import highest
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import (
    ConversationReadPosition,
    GlobalReadPosition,
    Message,
    ReadException,
    Subscription,
)
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.move.repository._conditions import subscribes_to_both

_here, _there = aliased(ConversationReadPosition), aliased(ConversationReadPosition)
_in_source = aliased(Subscription)
_FIRST = bindparam("first", type_=BigInteger)


class Places(Struct, frozen=True):
    """Source and target of a move, and the last message that is moved."""

    source: ConversationId
    source_channel: ChannelId
    target: ConversationId
    target_channel: ChannelId
    last: MessageId

    @property
    def crosses_channels(self) -> bool:
        return self.source_channel != self.target_channel


class _PlaceParameters:
    """The same as parameters of a statement, which have the names of the fields."""

    def __init__(self, *, crosses_channels: bool) -> None:
        self.crosses_channels = crosses_channels
        self.source = bindparam("source", type_=BigInteger)
        self.source_channel = bindparam("source_channel", type_=BigInteger)
        self.target = bindparam("target", type_=BigInteger)
        self.target_channel = bindparam("target_channel", type_=BigInteger)
        self.last = bindparam("last", type_=BigInteger)


class ReadStateRepository:
    """Read positions and read exceptions of all subscribers of the target channel."""

    def __init__(self, db: DatabaseSession, places: Places) -> None:
        self._db = db
        self._places = places

    async def begin(self) -> None:
        """Set the positions in a conversation created for the messages: the same as in the source.

        For users who were not subscribed to the source channel, the messages count as read.
        """
        places = self._places
        if not places.crosses_channels:
            copied = select(
                ConversationReadPosition.user_id,
                literal(places.target, BigInteger),
                ConversationReadPosition.message_id,
            ).where(ConversationReadPosition.conversation_id == places.source)
            await self._insert_positions(copied)
            return
        position = case(
            (_in_source.user_id.is_(None), literal(places.last, BigInteger)),
            else_=highest(func.coalesce(_here.message_id, 0), _in_source.read_up_to),
        )
        await self._insert_positions(
            _readers(places)
            .with_only_columns(Subscription.user_id, literal(places.target, BigInteger), position)
            .where(position > Subscription.read_up_to)
        )

    async def join(self, last_there: MessageId) -> None:
        """Set the positions in an existing conversation for users who have read both to the end."""
        places = self._places
        has_read_source = exists().where(
            _here.user_id == ConversationReadPosition.user_id,
            _here.conversation_id == places.source,
            _here.message_id >= places.last,
        )
        await self._db.execute(
            update(ConversationReadPosition)
            .where(
                ConversationReadPosition.conversation_id == places.target,
                ConversationReadPosition.message_id >= last_there,
                ConversationReadPosition.message_id < places.last,
                has_read_source.correlate(ConversationReadPosition),
            )
            .values(message_id=places.last)
        )

    async def forget_unread(self, message_ids: Collection[MessageId]) -> None:
        """Delete unread exceptions of users who are not subscribed to both channels.

        The messages count as read for them, now and when they subscribe to the other channel.
        """
        await self._db.execute(_FORGET_UNREAD, self._values(message_ids=list(message_ids)))

    async def move_exceptions(self, message_ids: Collection[MessageId]) -> None:
        """Move the exceptions of messages along with them."""
        await self._db.execute(_MOVE_EXCEPTIONS, self._values(message_ids=list(message_ids)))

    async def count_different(self, first: MessageId) -> int:
        """For how many users a moved message may be read in one conversation, not in the other.

        `first` is the first message that is moved.
        """
        statement = _COUNT_DIFFERENT[self._places.crosses_channels]
        rows = await self._db.execute(statement, self._values(first=first))
        count: int = rows.scalar_one()
        return count

    async def add_exceptions(self, message_ids: Collection[MessageId]) -> None:
        """Add exceptions where the position in the target differs from that in the source."""
        statement = _ADD_EXCEPTIONS[self._places.crosses_channels]
        await self._db.execute(statement, self._values(message_ids=list(message_ids)))

    def _values(self, **others: object) -> dict[str, object]:
        return {**asdict(self._places), **others}

    async def _insert_positions(self, positions: Select[*tuple[int, int, int]]) -> None:
        columns = ["user_id", "conversation_id", "message_id"]
        await self._db.execute(insert(ConversationReadPosition).from_select(columns, positions))


def _readers(places: Places | _PlaceParameters) -> Select[*tuple[int]]:
    """Subscribers of the target channel, with their positions in source and target."""
    readers = (
        select(Subscription.user_id)
        .outerjoin(
            _in_source,
            and_(
                _in_source.user_id == Subscription.user_id,
                _in_source.channel_id == places.source_channel,
                _in_source.is_active,
            ),
        )
        .outerjoin(_here, _position_in(_here, places.source))
        .outerjoin(_there, _position_in(_there, places.target))
        .where(Subscription.channel_id == places.target_channel, Subscription.is_active)
    )
    if places.crosses_channels:
        return readers
    # Without a position in either conversation, the channel's position counts for both.
    return readers.where(or_(_here.user_id.is_not(None), _there.user_id.is_not(None)))


def _different_readers(places: Places | _PlaceParameters) -> Subquery:
    """Readers whose position changes (`before`), and the bounds between which it matters.

    What lies between is read in one of the conversations and unread in the other. Without these
    bounds, each message would be compared with each reader.
    """
    everywhere = func.coalesce(GlobalReadPosition.message_id, 0)
    # For users who were not subscribed to the source channel, all messages count as read.
    before = case(
        (_in_source.user_id.is_(None), type_coerce(places.last, BigInteger)),
        else_=highest(func.coalesce(_here.message_id, 0), _in_source.read_up_to, everywhere),
    )
    after = highest(func.coalesce(_there.message_id, 0), Subscription.read_up_to, everywhere)
    return (
        _readers(places)
        .outerjoin(GlobalReadPosition, GlobalReadPosition.user_id == Subscription.user_id)
        .with_only_columns(
            Subscription.user_id.label("user_id"),
            before.label("before"),
            case((before < after, before), else_=after).label("above"),
            highest(before, after).label("up_to"),
        )
        .where(before != after)
        .subquery()
    )


def _position_in(
    position: type[ConversationReadPosition], conversation_id: ConversationId | ColumnElement[int]
) -> ColumnElement[bool]:
    return and_(
        position.user_id == Subscription.user_id, position.conversation_id == conversation_id
    )


def _count_different(*, crosses_channels: bool) -> Select[*tuple[int]]:
    places = _PlaceParameters(crosses_channels=crosses_channels)
    different = _different_readers(places)
    return select(func.count(different.c.user_id)).where(
        different.c.above < places.last, different.c.up_to >= _FIRST
    )


def _add_exceptions(*, crosses_channels: bool) -> Insert:
    places = _PlaceParameters(crosses_channels=crosses_channels)
    # Mostly few readers differ, or none: PostgreSQL is to find them before it looks at messages.
    reader = (
        select(_different_readers(places))
        .cte("different_reader")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    has_exception = exists().where(
        ReadException.user_id == reader.c.user_id, ReadException.message_id == Message.id
    )
    columns = {
        "user_id": reader.c.user_id,
        "message_id": Message.id,
        "conversation_id": places.target,
        "is_read": Message.id <= reader.c.before,
    }
    different = (
        select(*columns.values())
        .select_from(reader)
        .join(Message, and_(Message.id > reader.c.above, Message.id <= reader.c.up_to))
        .where(
            is_one_of(Message.id, "message_ids"),
            not_(and_(Message.sender_id == reader.c.user_id, Message.read_by_sender)),
            not_(has_exception.correlate(reader, Message)),
        )
    )
    return insert(ReadException).from_select(list(columns), different)


# Built once, since each batch of a long move runs them; by whether the move crosses channels.
_COUNT_DIFFERENT = {each: _count_different(crosses_channels=each) for each in (True, False)}
_ADD_EXCEPTIONS = {each: _add_exceptions(crosses_channels=each) for each in (True, False)}
_OF_BATCH = and_(
    ReadException.conversation_id == bindparam("source"),
    is_one_of(ReadException.message_id, "message_ids"),
)
_MOVE_EXCEPTIONS = (
    update(ReadException).where(_OF_BATCH).values(conversation_id=bindparam("target"))
)
_FORGET_UNREAD = delete(ReadException).where(
    _OF_BATCH,
    not_(ReadException.is_read),
    not_(subscribes_to_both(ReadException, "source_channel", "target_channel")),
)
