"""Message visibility: one rule, as a check of fetched rows and as SQL conditions."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import compress
from typing import Any, NamedTuple, Protocol

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    or_,
    select,
    true,
)

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.cache import CachedChannel
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, UserId
from chatapi.db.base import TableColumn
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import ConversationMember, Message, Subscription
from chatapi.db.subscription_periods import was_subscribed
from chatapi.events.membership import SubscriptionPeriod
from chatapi.permissions.channels import ChannelAccess, channel_access

_BEFORE_ALL = MessageId(0)
_FEW_CONVERSATIONS = 1_000
_OWN_CONVERSATIONS = (
    select(ConversationMember.conversation_id)
    .where(ConversationMember.user_id == bindparam("user_id"))
    .limit(bindparam("limit"))
)
_OWN_AMONG = select(ConversationMember.conversation_id).where(
    ConversationMember.user_id == bindparam("user_id"),
    is_one_of(ConversationMember.conversation_id, "conversation_ids"),
)


def _oldest_moved_message() -> Select[*tuple[int | None]]:
    """The oldest message, up to an id, that an event after a given one moved to a reader's channel.

    Looked up in each channel, along the index of moved messages.
    """
    in_channel = (
        select(Message.id)
        .where(
            Message.channel_id == Subscription.channel_id,
            Message.arrival.is_not(None),
            Message.arrival > bindparam("since_event", type_=BigInteger),
            Message.id <= bindparam("up_to", type_=BigInteger),
        )
        .order_by(Message.id)
        .limit(1)
        .correlate(Subscription)
        .scalar_subquery()
    )
    return select(func.min(in_channel)).where(
        Subscription.user_id == bindparam("user_id"), Subscription.is_active
    )


_OLDEST_MOVED = _oldest_moved_message()


class MessageGroup(NamedTuple):
    """Messages whose visibility depends on the same: those of a channel, or direct ones."""

    channel_id: ChannelId | None
    conversation_id: ConversationId | None
    """Only of direct messages."""
    arrival: EventNumber | None
    """The event that moved them into the channel, None if they were sent there."""
    message_ids: list[MessageId]


class MessageLocation(Protocol):
    """The fields of a message that its visibility depends on."""

    @property
    def id(self) -> MessageId: ...

    @property
    def conversation_id(self) -> ConversationId: ...

    @property
    def channel_id(self) -> ChannelId | None: ...

    @property
    def arrival(self) -> EventNumber | None:
        """The event that moved it into its channel, None if it was sent there."""


class ChannelMessage(Protocol):
    """The same of a message whose channel is known."""

    @property
    def id(self) -> MessageId: ...

    @property
    def arrival(self) -> EventNumber | None: ...


class FeedPart(Struct, frozen=True):
    """SQL condition for some of the messages sent to a reader, all of which are above an id."""

    condition: ColumnElement[bool]
    above: MessageId = _BEFORE_ALL


class VisiblePlaces(Struct, frozen=True):
    """SQL condition for what a reader may see in some channels, and in direct messages."""

    condition: ColumnElement[bool]
    channels: tuple[CachedChannel, ...]
    """The condition is valid as long as none of these records is outdated."""


class MessageAccess(Struct, frozen=True):
    """Which messages one reader may see; every read of messages and attached data uses it.

    The conditions are about `Message` and never depend on what a client asked for: a filter can
    only be added to them. They fit into any statement, whatever else it joins.
    """

    ctx: RealmContext
    channels: ChannelAccess

    @property
    def reader_id(self) -> UserId | None:
        """None: a visitor without an account."""
        return None if self.channels.user is None else self.channels.user.id

    async def can_see_message(self, message: MessageLocation) -> bool:
        return message.id in await self.visible([message])

    async def visible(self, messages: Collection[MessageLocation]) -> frozenset[MessageId]:
        """Returns those of the messages that the reader may see.

        All must be of the reader's realm.
        """
        records = await self._channels_of(messages)
        direct = {message.conversation_id for message in messages if message.channel_id is None}
        own = await self._own_among(direct)

        # Many messages may be of few channels, most of which are visible as a whole.
        visible_channels = {
            channel_id for channel_id, each in records.items() if self.channels.can_read_all(each)
        }

        def can_see_message(message: MessageLocation) -> bool:
            channel_id = message.channel_id
            if channel_id is None:
                return message.conversation_id in own
            if channel_id in visible_channels:
                return True
            return self.channels.can_see_message(records[channel_id], message.id, message.arrival)

        seen = await map_in_steps(can_see_message, list(messages))
        return frozenset(
            message.id for message, is_seen in zip(messages, seen, strict=True) if is_seen
        )

    async def visible_in(self, groups: Collection[MessageGroup]) -> list[MessageId]:
        """Same as `visible` for thousands of messages that were read as a few groups."""
        records = await self._channels_of(groups)
        own = await self._own_among(
            {group.conversation_id for group in groups if group.conversation_id is not None}
        )
        seen: list[MessageId] = []
        for group in groups:
            if group.channel_id is None:
                seen += group.message_ids if group.conversation_id in own else ()
                continue
            channel = records[group.channel_id]
            if self.channels.can_read_all(channel):
                seen += group.message_ids
                continue
            can_see = partial(self.channels.can_see_message, channel, arrival=group.arrival)
            is_seen = await map_in_steps(can_see, group.message_ids)
            seen += compress(group.message_ids, is_seen)
        return seen

    def received(self, message: MessageLocation) -> bool:
        """Whether the reader was subscribed when a visible message came, and could read it live."""
        if message.channel_id is None:
            return True
        return self.channels.membership.received(message.channel_id, message.id, message.arrival)

    def received_in(
        self, channel_id: ChannelId, messages: Sequence[ChannelMessage]
    ) -> Sequence[bool]:
        """The same for each of some messages of one channel, the oldest first."""
        membership = self.channels.membership
        if membership.received_all_since(channel_id, messages[0].id) and all(
            message.arrival is None for message in messages
        ):
            return [True] * len(messages)
        return [membership.received(channel_id, each.id, each.arrival) for each in messages]

    async def in_feed(self) -> tuple[FeedPart, ...]:
        """Returns the messages sent to the reader: in subscribed channels, and directly.

        No message is in both parts. Query them separately, since no index covers both. A part that
        has no messages is left out: a database would search all messages for them.
        """
        return (*await self._in_feed_of_channels(), *await self._in_feed_directly())

    async def _in_feed_of_channels(self) -> tuple[FeedPart, ...]:
        membership = self.channels.membership
        channel_ids = [
            each for each in membership.subscription_periods if membership.is_subscribed(each)
        ]
        if not channel_ids:
            return ()
        condition = and_(
            Message.realm_id == self.ctx.realm.id,
            Message.channel_id.in_(channel_ids),
            self.was_subscribed(),
        )
        return (FeedPart(condition, await self._before_feed()),)

    async def _before_feed(self) -> MessageId:
        """An id before all messages of the feed.

        If the reader subscribed recently, the years before are not scanned for such messages.
        """
        first = [periods[0] for periods in self.channels.membership.subscription_periods.values()]
        above = min(period.since_message for period in first)
        if above == _BEFORE_ALL:
            return above
        values = {
            "user_id": self.reader_id,
            "since_event": min(period.since_event for period in first),
            "up_to": above,
        }
        moved = (await self.ctx.db.execute(_OLDEST_MOVED, values)).scalar_one()
        return above if moved is None else MessageId(moved - 1)

    def was_subscribed(self, message: type[Message] = Message) -> ColumnElement[bool]:
        """Whether the reader was subscribed to the channel when a message came there."""
        was_there = was_subscribed(
            self.reader_id,
            message.channel_id,
            message.id,
            message.arrival,
        )
        return was_there.correlate(message)

    def in_direct(self) -> ColumnElement[bool]:
        """Condition for the direct messages of the reader."""
        if self.reader_id is None:
            return false()
        return Message.conversation_id.in_(
            select(ConversationMember.conversation_id)
            .where(ConversationMember.user_id == self.reader_id)
            .correlate(None)
        )

    def in_channel(
        self, channel: ChannelRecord, conversation_id: ConversationId | None = None
    ) -> ColumnElement[bool]:
        """Condition for a channel or one of its topics, as far as subscription periods allow."""
        in_channel = (
            Message.channel_id == channel.id
            if conversation_id is None
            else Message.conversation_id == conversation_id
        )
        return and_(in_channel, self.visible_of(channel))

    async def in_places_of(self, messages: ColumnElement[bool]) -> VisiblePlaces:
        """Condition for what the reader may see in the channels of a few messages, and directly.

        For narrows that name single messages, in any channel. Costs one statement, which looks up
        their channels; a message that is moved elsewhere afterwards is not included.
        """
        rows = await self.ctx.db.execute(
            select(Message.channel_id)
            .distinct()
            .where(Message.realm_id == self.ctx.realm.id, messages, Message.channel_id.is_not(None))
        )
        channel_ids = {ChannelId(channel_id) for (channel_id,) in rows if channel_id is not None}
        known = await self.ctx.runtime.channels.many_cached(
            self.ctx.db, self.ctx.realm.id, channel_ids
        )
        in_channels = (self.in_channel(each.record) for each in known.values())
        return VisiblePlaces(or_(self._is_own_direct(), *in_channels), tuple(known.values()))

    def _is_own_direct(self) -> ColumnElement[bool]:
        """Same as `in_direct`, evaluated per message; use it when there are few messages."""
        if self.reader_id is None:
            return false()
        takes_part = exists().where(
            ConversationMember.user_id == self.reader_id,
            ConversationMember.conversation_id == Message.conversation_id,
        )
        return takes_part.correlate(Message)

    def visible_of(self, channel: ChannelRecord) -> ColumnElement[bool]:
        """Condition for messages the reader may see; valid only for messages of this channel."""
        if not self.channels.can_read(channel):
            return false()
        if self.channels.can_read_all(channel):
            return true()
        if not self.channels.is_subscribed(channel.id):
            return false()
        subscription_periods = self.channels.membership.subscription_periods[channel.id]
        return or_(*(sent_during(period) for period in subscription_periods))

    async def _in_feed_directly(self) -> tuple[FeedPart, ...]:
        """Same as `in_direct`, but lists the conversation ids while there are few.

        With the ids given, the database does not search for them among all messages.
        """
        rows = await self.ctx.db.execute(
            _OWN_CONVERSATIONS, {"user_id": self.reader_id, "limit": _FEW_CONVERSATIONS + 1}
        )
        own = [conversation_id for (conversation_id,) in rows]
        if len(own) > _FEW_CONVERSATIONS:
            return (FeedPart(self.in_direct()),)
        return (FeedPart(Message.conversation_id.in_(own)),) if own else ()

    async def _channels_of(
        self, messages: Iterable[MessageLocation | MessageGroup]
    ) -> dict[ChannelId, ChannelRecord]:
        channel_ids = {each.channel_id for each in messages if each.channel_id is not None}
        ctx = self.ctx
        return await ctx.runtime.channels.many(ctx.db, ctx.realm.id, channel_ids)

    async def _own_among(
        self, conversation_ids: Collection[ConversationId]
    ) -> frozenset[ConversationId]:
        if self.reader_id is None or not conversation_ids:
            return frozenset()
        values = {"user_id": self.reader_id, "conversation_ids": list(conversation_ids)}
        rows = await self.ctx.db.fetch(_OWN_AMONG, values)
        return frozenset(ConversationId(conversation_id) for (conversation_id,) in rows)


async def message_access(ctx: RealmContext) -> MessageAccess:
    """Returns the message access of the reader of this request."""
    return MessageAccess(ctx, await channel_access(ctx))


def sent_during(period: SubscriptionPeriod) -> ColumnElement[bool]:
    """Condition: a message was sent or moved into the channel during a subscription period."""
    was_sent = _is_between(Message.id, period.since_message, period.until_message)
    was_moved = _is_between(Message.arrival, period.since_event, period.until_event)
    return case((Message.arrival.is_(None), was_sent), else_=was_moved)


def _is_between(number: TableColumn[Any], since: int, until: int | None) -> ColumnElement[bool]:
    return number > since if until is None else and_(number > since, number <= until)
