"""Which messages a reader may see: one rule, asked of rows that were read and put into SQL."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, and_, bindparam, case, exists, false, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.cache import CachedChannel
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, UserId
from chatapi.db.models import ConversationMember, Message, SubscriptionPeriodRow
from chatapi.db.subscription_periods import is_within_subscription_period
from chatapi.events.membership import SubscriptionPeriod
from chatapi.permissions.channels import ChannelAccess, channel_access

_FEW_CONVERSATIONS = 1_000
_OWN_CONVERSATIONS = (
    select(ConversationMember.conversation_id)
    .where(ConversationMember.user_id == bindparam("user_id"))
    .limit(bindparam("limit"))
)


class MessageLocation(Protocol):
    """A message, as far as it takes to say who may see it."""

    @property
    def id(self) -> MessageId: ...

    @property
    def conversation_id(self) -> ConversationId: ...

    @property
    def channel_id(self) -> ChannelId | None: ...

    @property
    def arrival(self) -> EventNumber | None:
        """The event that brought it into its channel, None for one that was sent there."""


@dataclass(frozen=True)
class VisiblePlaces:
    """What a reader may see in some channels, and in direct messages."""

    condition: ColumnElement[bool]
    channels: tuple[CachedChannel, ...]
    """The condition holds as long as none of these is outdated."""


@dataclass(frozen=True)
class MessageAccess:
    """What one reader may see; stands behind every read of messages, and of what hangs on them.

    The conditions are about `Message` and never depend on what a client asked for: a filter
    can only be added to them. They fit into any statement, whatever else it joins.
    """

    ctx: RealmContext
    channels: ChannelAccess

    @property
    def reader_id(self) -> UserId | None:
        """None: somebody without an account."""
        return None if self.channels.user is None else self.channels.user.id

    async def can_see_message(self, message: MessageLocation) -> bool:
        return message.id in await self.visible([message])

    async def visible(self, messages: Collection[MessageLocation]) -> frozenset[MessageId]:
        """Those of the messages that the reader may see; they are of the reader's realm."""
        records = await self.ctx.runtime.channels.many(
            self.ctx.db,
            self.ctx.realm.id,
            {message.channel_id for message in messages if message.channel_id is not None},
        )
        direct = {message.conversation_id for message in messages if message.channel_id is None}
        own = await self._own_among(direct) if direct else frozenset()

        def can_see_message(message: MessageLocation) -> bool:
            if message.channel_id is None:
                return message.conversation_id in own
            return self.channels.can_see_message(
                records[message.channel_id], message.id, message.arrival
            )

        seen = await map_in_steps(can_see_message, list(messages))
        return frozenset(
            message.id for message, is_seen in zip(messages, seen, strict=True) if is_seen
        )

    def received(self, message: MessageLocation) -> bool:
        """Whether the reader was there when a visible message came, and could have read it live."""
        if message.channel_id is None:
            return True
        return self.channels.membership.received(message.channel_id, message.id, message.arrival)

    async def in_feed(self) -> tuple[ColumnElement[bool], ...]:
        """What was sent to the reader: in the channels they are in, and in direct messages.

        The parts share no message. Each is read for itself, since no index leads to both.
        """
        membership = self.channels.membership
        channel_ids = [
            each for each in membership.subscription_periods if membership.is_subscribed(each)
        ]
        in_channels = and_(
            Message.realm_id == self.ctx.realm.id,
            Message.channel_id.in_(channel_ids),
            # Whoever joined lately does not look through the years before.
            Message.id
            > min(
                (
                    subscription_periods[0].since_message
                    for subscription_periods in membership.subscription_periods.values()
                ),
                default=0,
            ),
            self.was_subscribed(),
        )
        return in_channels, await self._in_listed_direct()

    def was_subscribed(self, message: type[Message] = Message) -> ColumnElement[bool]:
        """Whether the reader was in the channel when a message came there."""
        return (
            exists()
            .where(
                SubscriptionPeriodRow.user_id == self.reader_id,
                SubscriptionPeriodRow.channel_id == message.channel_id,
                is_within_subscription_period(message.id, message.arrival),
            )
            .correlate(message)
        )

    def in_direct(self) -> ColumnElement[bool]:
        """Direct messages of the reader's own."""
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
        """All of a channel or of one of its topics, as far as the reader's stays allow."""
        in_channel = (
            Message.channel_id == channel.id
            if conversation_id is None
            else Message.conversation_id == conversation_id
        )
        return and_(in_channel, self.visible_of(channel))

    async def in_places_of(self, messages: ColumnElement[bool]) -> VisiblePlaces:
        """What the reader may see in the channels of a few messages, and in direct messages.

        For narrows that name single messages, wherever these are. Costs one statement, which
        looks up where they are; a message that is moved elsewhere afterwards is not included.
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
        """The same as `in_direct`, asked of each message, for when these are few."""
        if self.reader_id is None:
            return false()
        takes_part = exists().where(
            ConversationMember.user_id == self.reader_id,
            ConversationMember.conversation_id == Message.conversation_id,
        )
        return takes_part.correlate(Message)

    def visible_of(self, channel: ChannelRecord) -> ColumnElement[bool]:
        """Which messages of a channel the reader may see; says nothing about any others."""
        if not self.channels.can_read(channel):
            return false()
        if self.channels.can_read_all(channel):
            return true()
        if not self.channels.is_subscribed(channel.id):
            return false()
        subscription_periods = self.channels.membership.subscription_periods[channel.id]
        return or_(*(sent_during(period) for period in subscription_periods))

    async def _in_listed_direct(self) -> ColumnElement[bool]:
        """The same as `in_direct`, with the conversations by name as long as they are few.

        A database that knows which ones does not look for them among all messages.
        """
        rows = await self.ctx.db.execute(
            _OWN_CONVERSATIONS, {"user_id": self.reader_id, "limit": _FEW_CONVERSATIONS + 1}
        )
        own = [conversation_id for (conversation_id,) in rows]
        if len(own) > _FEW_CONVERSATIONS:
            return self.in_direct()
        return Message.conversation_id.in_(own)

    async def _own_among(
        self, conversation_ids: Collection[ConversationId]
    ) -> frozenset[ConversationId]:
        if self.reader_id is None:
            return frozenset()
        rows = await self.ctx.db.execute(
            select(ConversationMember.conversation_id).where(
                ConversationMember.user_id == self.reader_id,
                ConversationMember.conversation_id.in_(conversation_ids),
            )
        )
        return frozenset(ConversationId(conversation_id) for (conversation_id,) in rows)


async def message_access(ctx: RealmContext) -> MessageAccess:
    """The access of whoever asks."""
    return MessageAccess(ctx, await channel_access(ctx))


def sent_during(period: SubscriptionPeriod) -> ColumnElement[bool]:
    """Whether a message came into the channel while somebody was there."""
    was_sent = _is_between(Message.id, period.since_message, period.until_message)
    was_moved = _is_between(Message.arrival, period.since_event, period.until_event)
    return case((Message.arrival.is_(None), was_sent), else_=was_moved)


def _is_between(
    number: InstrumentedAttribute[Any], since: int, until: int | None
) -> ColumnElement[bool]:
    return number > since if until is None else and_(number > since, number <= until)
