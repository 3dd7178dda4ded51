"""Every SQL statement on subscriptions and their periods."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import bindparam, delete, func, insert, not_, or_, select, update

from chatapi.core.cooperative import map_in_steps
from chatapi.core.ids import ChannelId, EventNumber, MessageId, RealmId, UserId
from chatapi.core.roles import Role
from chatapi.db.id_lists import is_one_of, joined_ids, split_ids
from chatapi.db.message_ids import newest_message_id
from chatapi.db.models import (
    Channel,
    Conversation,
    ReadException,
    Subscription,
    SubscriptionPeriodRow,
    User,
)
from chatapi.db.reading import read_in_steps
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.channels.subscription_payloads import ChoicesPayload


class Choices(Struct, frozen=True):
    """A user's settings for a channel."""

    color: str
    is_muted: bool
    pin_to_top: bool
    desktop_notifications: bool | None
    audible_notifications: bool | None
    push_notifications: bool | None
    email_notifications: bool | None
    wildcard_mentions_notify: bool | None

    def to_wire(self) -> ChoicesPayload:
        return cast(ChoicesPayload, asdict(self))


_choices = RecordReader(Choices, Subscription)


class ClockPosition(Struct, frozen=True):
    """The realm's last event number and newest message; periods begin and end there."""

    event: EventNumber
    message: MessageId


MembershipKey = tuple[ChannelId, UserId]
"""One user in one channel."""
MembershipDelta = Mapping[ChannelId, frozenset[UserId]]
"""The users who were subscribed to each channel, or unsubscribed from it."""


class UserChannelPairs(Struct, frozen=True):
    """All combinations of some users and some channels."""

    channel_ids: Collection[ChannelId]
    user_ids: Collection[UserId]

    def values(self) -> dict[str, list[int]]:
        return {"channel_ids": list(self.channel_ids), "user_ids": list(self.user_ids)}


_OWN = (
    _choices.select()
    .add_columns(Subscription.channel_id, Subscription.is_active)
    .where(Subscription.user_id == bindparam("user_id"))
)
_CHOICES_IN = (
    _choices.select()
    .add_columns(Subscription.user_id)
    .where(Subscription.channel_id == bindparam("channel_id"), Subscription.is_active)
    .order_by(Subscription.user_id)
)
_CHANNEL_IDS_OF = select(Subscription.channel_id).where(
    Subscription.user_id == bindparam("user_id"), Subscription.is_active
)
_ACTIVE_SUBSCRIBERS = (
    select(Subscription.user_id)
    .join(User, User.id == Subscription.user_id)
    .where(
        Subscription.channel_id == bindparam("channel_id"), Subscription.is_active, User.is_active
    )
    .order_by(Subscription.user_id)
)
_DEACTIVATED = select(User.id).where(User.realm_id == bindparam("realm_id"), not_(User.is_active))
_BOTS = select(User.id).where(User.realm_id == bindparam("realm_id"), User.bot_type.is_not(None))
_SUBSCRIBERS = (
    select(Subscription.channel_id, joined_ids(Subscription.user_id))
    .join(Channel, Channel.id == Subscription.channel_id)
    .where(
        Channel.realm_id == bindparam("realm_id"),
        Subscription.is_active,
        Subscription.user_id.not_in(_DEACTIVATED),
    )
    .group_by(Subscription.channel_id)
)
_SUBSCRIBERS_IN = _SUBSCRIBERS.where(is_one_of(Channel.id, "channel_ids"))
_SOME_SUBSCRIBERS = _SUBSCRIBERS.where(
    or_(Channel.subscriber_count <= bindparam("few"), Subscription.user_id.in_(_BOTS))
)


_COUNT_CHANNELS = (
    select(Subscription.user_id, func.count())
    .where(is_one_of(Subscription.user_id, "user_ids"))
    .group_by(Subscription.user_id)
)
_IS_PAIR = (
    is_one_of(Subscription.channel_id, "channel_ids"),
    is_one_of(Subscription.user_id, "user_ids"),
)
_SUBSCRIBED = select(Subscription.channel_id, Subscription.user_id).where(
    *_IS_PAIR, Subscription.is_active
)
_SUBSCRIBED_TO_ANY = (
    select(Subscription.user_id)
    .where(is_one_of(Subscription.channel_id, "channel_ids"), Subscription.is_active)
    .distinct()
    .limit(bindparam("most"))
)
_GUESTS = select(User.id).where(
    User.realm_id == bindparam("realm_id"),
    User.role == Role.GUEST,
    User.is_active,
    or_(
        is_one_of(User.id, "user_ids"),
        User.id.in_(
            select(Subscription.user_id).where(
                is_one_of(Subscription.channel_id, "channel_ids"), Subscription.is_active
            )
        ),
    ),
)
_IN_WEB_PUBLIC = (
    select(Subscription.channel_id, Subscription.user_id)
    .join(Channel, Channel.id == Subscription.channel_id)
    .where(
        Channel.realm_id == bindparam("realm_id"),
        Channel.is_web_public,
        Subscription.is_active,
        is_one_of(Subscription.user_id, "user_ids"),
    )
)
_FORMER_CHOICES = (
    _choices.select()
    .add_columns(Subscription.channel_id, Subscription.user_id)
    .where(*_IS_PAIR, not_(Subscription.is_active))
)
_RESUBSCRIBE = (
    update(Subscription)
    .where(*_IS_PAIR, not_(Subscription.is_active))
    .values(is_active=True, read_up_to=bindparam("message"))
)
_UNSUBSCRIBE = update(Subscription).where(*_IS_PAIR, Subscription.is_active).values(is_active=False)
_END_PERIODS = (
    update(SubscriptionPeriodRow)
    .where(
        is_one_of(SubscriptionPeriodRow.channel_id, "channel_ids"),
        is_one_of(SubscriptionPeriodRow.user_id, "user_ids"),
        SubscriptionPeriodRow.until_event.is_(None),
    )
    .values(until_event=bindparam("event"), until_message=bindparam("message"))
)
_FORGET_EXCEPTIONS = delete(ReadException).where(
    is_one_of(ReadException.user_id, "user_ids"),
    ReadException.conversation_id.in_(
        select(Conversation.id).where(is_one_of(Conversation.channel_id, "channel_ids"))
    ),
)
_COUNT_SUBSCRIBERS = (
    update(Channel)
    .where(Channel.id == bindparam("place"))
    .values(subscriber_count=Channel.subscriber_count + bindparam("change"))
)


class SubscriptionRepository:
    """Subscriptions to channels of one realm; callers pass only ids of channels and users of it."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def newest_message(self) -> MessageId:
        return await newest_message_id(self._db, self._realm_id) or MessageId(0)

    async def list_subscribed(self, pairs: UserChannelPairs) -> dict[ChannelId, frozenset[UserId]]:
        """Which of the users are subscribed to each of the channels, deactivated users included."""
        found: defaultdict[ChannelId, set[UserId]] = defaultdict(set)
        for channel_id, user_id in await self._db.execute(_SUBSCRIBED, pairs.values()):
            found[ChannelId(channel_id)].add(UserId(user_id))
        return {channel_id: frozenset(people) for channel_id, people in found.items()}

    async def list_subscribers(self, channel_ids: Collection[ChannelId]) -> dict[int, list[int]]:
        """The active subscribers of some channels, ordered by user id."""
        rows = await self._db.execute(
            _SUBSCRIBERS_IN,
            {"realm_id": self._realm_id, "channel_ids": list(channel_ids)},
        )
        return dict(await map_in_steps(lambda row: (row[0], sorted(split_ids(row[1]))), rows.all()))

    async def list_active_subscribers(self, channel_id: ChannelId) -> list[int]:
        """The active subscribers of a channel, ordered by user id."""
        rows = await self._db.execute(_ACTIVE_SUBSCRIBERS, {"channel_id": channel_id})
        return list(rows.scalars())

    async def list_choices(self, channel_id: ChannelId) -> dict[UserId, Choices]:
        """The settings of all subscribers of a channel, deactivated users included."""
        rows = await self._db.execute(_CHOICES_IN, {"channel_id": channel_id})
        return dict(
            await read_in_steps(rows, lambda row: (UserId(row[-1]), _choices.read(row[:-1])))
        )

    async def subscribers_as_text(self, few: int | None = None) -> dict[ChannelId, str]:
        """The ids of each channel's subscribers, separated by commas.

        With `few`, channels with more subscribers list only their bots. The database joins the ids:
        reading a row per subscriber would dominate the time of POST /register.
        """
        values = {"realm_id": self._realm_id}
        if few is None:
            rows = await self._db.execute(_SUBSCRIBERS, values)
        else:
            rows = await self._db.execute(_SOME_SUBSCRIBERS, {**values, "few": few})
        return {ChannelId(channel_id): text for channel_id, text in rows}

    async def list_guests(self, pairs: UserChannelPairs) -> frozenset[UserId]:
        """The guests among some users, and those subscribed to any of some channels."""
        rows = await self._db.execute(_GUESTS, {"realm_id": self._realm_id, **pairs.values()})
        return frozenset(UserId(user_id) for (user_id,) in rows)

    async def list_all_subscribers(
        self, channel_ids: Collection[ChannelId], limit: int
    ) -> frozenset[UserId]:
        """Users subscribed to any of some channels, deactivated ones included."""
        rows = await self._db.execute(
            _SUBSCRIBED_TO_ANY, {"channel_ids": list(channel_ids), "most": limit}
        )
        return frozenset(UserId(user_id) for (user_id,) in rows)

    async def list_web_public(
        self, user_ids: Collection[UserId]
    ) -> dict[ChannelId, frozenset[UserId]]:
        """To which web-public channels each of some users is subscribed."""
        found: defaultdict[ChannelId, set[UserId]] = defaultdict(set)
        values = {"realm_id": self._realm_id, "user_ids": list(user_ids)}
        for channel_id, user_id in await self._db.execute(_IN_WEB_PUBLIC, values):
            found[ChannelId(channel_id)].add(UserId(user_id))
        return {channel_id: frozenset(people) for channel_id, people in found.items()}

    async def own(self, user_id: UserId) -> dict[ChannelId, tuple[Choices, bool]]:
        """A user's settings for each channel they are or were in, and whether they still are."""
        rows = await self._db.fetch(_OWN, {"user_id": user_id})
        return {
            ChannelId(channel_id): (_choices.read(choices), is_inside)
            for *choices, channel_id, is_inside in rows
        }

    async def channel_ids_of(self, user_id: UserId) -> set[ChannelId]:
        rows = await self._db.execute(_CHANNEL_IDS_OF, {"user_id": user_id})
        return {ChannelId(channel_id) for channel_id in rows.scalars()}

    async def count_channels(self, user_ids: Collection[UserId]) -> dict[UserId, int]:
        """To how many channels each user is or was subscribed."""
        rows = await self._db.execute(_COUNT_CHANNELS, {"user_ids": list(user_ids)})
        return {UserId(user_id): count for user_id, count in rows}

    async def former_choices(self, pairs: UserChannelPairs) -> dict[MembershipKey, Choices]:
        """The settings of users who were subscribed to some of the channels before."""
        rows = await self._db.execute(_FORMER_CHOICES, pairs.values())
        return {
            (ChannelId(channel_id), UserId(user_id)): _choices.read(chosen)
            for *chosen, channel_id, user_id in rows
        }

    async def add(self, choices: Mapping[MembershipKey, Choices], moment: ClockPosition) -> None:
        """Insert subscriptions of users who were never subscribed to the channel."""
        shared = {"is_active": True, "read_up_to": moment.message}
        rows = (
            {"channel_id": channel_id, "user_id": user_id, **shared, **asdict(each)}
            for (channel_id, user_id), each in choices.items()
        )
        await self._db.execute_many(insert(Subscription), rows)

    async def resubscribe(self, pairs: UserChannelPairs, moment: ClockPosition) -> None:
        """Reactivate the former subscriptions of all of the users to all of the channels."""
        await self._db.execute(_RESUBSCRIBE, {**pairs.values(), "message": moment.message})

    async def unsubscribe(self, pairs: UserChannelPairs, moment: ClockPosition) -> None:
        """End the subscriptions of all of the users to all of the channels, where they exist.

        Unsubscribed channels have no unread messages, also after the user subscribes again.
        """
        when = {"event": moment.event, "message": moment.message}
        await self._db.execute(_UNSUBSCRIBE, pairs.values())
        await self._db.execute(_END_PERIODS, {**pairs.values(), **when})
        await self._db.execute(_FORGET_EXCEPTIONS, pairs.values())

    async def change_own(
        self, user_id: UserId, name: str, values: Mapping[ChannelId, object]
    ) -> None:
        """Set one setting of a user for several channels; one statement, however many."""
        own = update(Subscription).where(
            Subscription.user_id == bindparam("person"),
            Subscription.channel_id == bindparam("place"),
        )
        await self._db.execute(
            own.values({name: bindparam("choice")}),
            [
                {"person": user_id, "place": channel_id, "choice": value}
                for channel_id, value in values.items()
            ],
        )

    async def begin_periods(self, people: MembershipDelta, moment: ClockPosition) -> None:
        shared = {"since_event": moment.event, "since_message": moment.message}
        await self._db.execute_many(
            insert(SubscriptionPeriodRow),
            (
                {"channel_id": channel_id, "user_id": user_id, **shared}
                for channel_id, user_ids in people.items()
                for user_id in sorted(user_ids)
            ),
        )

    async def count_subscribers(self, changes: Mapping[ChannelId, int]) -> None:
        """Adjust the stored counts of active subscribers."""
        await self._db.execute(
            _COUNT_SUBSCRIBERS,
            [{"place": channel_id, "change": change} for channel_id, change in changes.items()],
        )
