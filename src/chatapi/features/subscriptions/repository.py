"""Every SQL statement on subscriptions and their periods."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from sqlalchemy import (
    String,
    bindparam,
    delete,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy import (
    cast as sql_cast,
)

from chatapi.core.ids import ChannelId, EventNumber, MessageId, RealmId, UserId
from chatapi.core.roles import Role
from chatapi.db.message_ids import newest_message_id
from chatapi.db.models import (
    Channel,
    Conversation,
    ReadException,
    Subscription,
    SubscriptionPeriod,
    User,
)
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.subscriptions.payloads import ChoicesPayload

_IDS_PER_STATEMENT = 1_000
"""Both databases limit how many parameters one statement may have."""

T = TypeVar("T")


@dataclass(frozen=True)
class Choices:
    """What a person chose for a channel."""

    color: str
    is_muted: bool
    pin_to_top: bool
    desktop_notifications: bool | None
    audible_notifications: bool | None
    push_notifications: bool | None
    email_notifications: bool | None
    wildcard_mentions_notify: bool | None

    def to_wire(self) -> ChoicesPayload:
        return cast(ChoicesPayload, vars(self))


_choices = RecordReader(Choices, Subscription)


@dataclass(frozen=True)
class Moment:
    """Where the order of a realm stands: periods begin and end there."""

    event: EventNumber
    message: MessageId


@dataclass(frozen=True)
class Rolls:
    """Who has something to do with a channel."""

    present: frozenset[UserId]
    """Who is in it and active."""
    inside: frozenset[UserId]
    """Who is in it, deactivated or not."""
    former: frozenset[UserId]
    """Who was in it once."""


NO_ROLLS = Rolls(frozenset(), frozenset(), frozenset())

_OWN = (
    _choices.select()
    .add_columns(Subscription.channel_id, Subscription.is_active)
    .where(Subscription.user_id == bindparam("user_id"))
)
_CHANNEL_IDS_OF = select(Subscription.channel_id).where(
    Subscription.user_id == bindparam("user_id"), Subscription.is_active
)
_PRESENT = (
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
    select(
        Subscription.channel_id,
        func.aggregate_strings(sql_cast(Subscription.user_id, String), ","),
    )
    .join(Channel, Channel.id == Subscription.channel_id)
    .where(
        Channel.realm_id == bindparam("realm_id"),
        Subscription.is_active,
        Subscription.user_id.not_in(_DEACTIVATED),
    )
    .group_by(Subscription.channel_id)
)
_SOME_SUBSCRIBERS = _SUBSCRIBERS.where(
    or_(Channel.subscriber_count <= bindparam("few"), Subscription.user_id.in_(_BOTS))
)


class SubscriptionRepository:
    """Subscriptions to channels of one realm; callers name only channels and users of it."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def newest_message(self) -> MessageId:
        return await newest_message_id(self._db, self._realm_id) or MessageId(0)

    async def list_rolls(self, channel_ids: Collection[ChannelId]) -> dict[ChannelId, Rolls]:
        """Everybody who is or was in some channels."""
        rows = await self._db.execute(
            select(
                Subscription.channel_id,
                Subscription.user_id,
                Subscription.is_active,
                User.is_active,
            )
            .join(User, User.id == Subscription.user_id)
            .where(Subscription.channel_id.in_(channel_ids))
        )
        people: defaultdict[int, list[tuple[UserId, bool, bool]]] = defaultdict(list)
        for channel_id, user_id, is_inside, is_active in rows:
            people[channel_id].append((UserId(user_id), is_inside, is_active))
        return {
            ChannelId(channel_id): Rolls(
                present=frozenset(user for user, inside, active in entries if inside and active),
                inside=frozenset(user for user, inside, _ in entries if inside),
                former=frozenset(user for user, inside, _ in entries if not inside),
            )
            for channel_id, entries in people.items()
        }

    async def list_present(self, channel_id: ChannelId) -> list[int]:
        """Who is in a channel and active, by id."""
        rows = await self._db.execute(_PRESENT, {"channel_id": channel_id})
        return list(rows.scalars())

    async def subscribers_as_text(self, few: int | None = None) -> dict[ChannelId, str]:
        """The ids of who is in each channel, with commas between them.

        With `few`, of channels with more people in them, the bots only. The database puts the
        text together: register would otherwise spend its time on reading rows.
        """
        values = {"realm_id": self._realm_id}
        if few is None:
            rows = await self._db.execute(_SUBSCRIBERS, values)
        else:
            rows = await self._db.execute(_SOME_SUBSCRIBERS, {**values, "few": few})
        return {ChannelId(channel_id): text for channel_id, text in rows}

    async def list_guests(self, channel_ids: Collection[ChannelId]) -> list[UserId]:
        """Guests who are in any of some channels."""
        rows = await self._db.execute(
            select(Subscription.user_id)
            .join(User, User.id == Subscription.user_id)
            .where(
                Subscription.channel_id.in_(channel_ids),
                Subscription.is_active,
                User.role == Role.GUEST,
            )
            .distinct()
        )
        return [UserId(user_id) for (user_id,) in rows]

    async def own(self, user_id: UserId) -> dict[ChannelId, tuple[Choices, bool]]:
        """What a user chose for each channel they are or were in, and whether they are in it."""
        rows = await self._db.execute(_OWN, {"user_id": user_id})
        return {
            ChannelId(channel_id): (_choices.read(choices), is_inside)
            for *choices, channel_id, is_inside in rows
        }

    async def channel_ids_of(self, user_id: UserId) -> set[ChannelId]:
        rows = await self._db.execute(_CHANNEL_IDS_OF, {"user_id": user_id})
        return {ChannelId(channel_id) for channel_id in rows.scalars()}

    async def count_channels(self, user_ids: Sequence[UserId]) -> dict[UserId, int]:
        """In how many channels people are or were."""
        counts: dict[UserId, int] = {}
        for some in _chunks(user_ids):
            rows = await self._db.execute(
                select(Subscription.user_id, func.count())
                .where(Subscription.user_id.in_(some))
                .group_by(Subscription.user_id)
            )
            counts |= {UserId(user_id): count for user_id, count in rows}
        return counts

    async def choices_of(
        self, channel_id: ChannelId, user_ids: Collection[UserId]
    ) -> dict[UserId, Choices]:
        choices: dict[UserId, Choices] = {}
        for some in _chunks(sorted(user_ids)):
            rows = await self._db.execute(
                _choices.select()
                .add_columns(Subscription.user_id)
                .where(Subscription.channel_id == channel_id, Subscription.user_id.in_(some))
            )
            choices |= {UserId(user_id): _choices.read(chosen) for *chosen, user_id in rows}
        return choices

    async def add(
        self, channel_id: ChannelId, choices: Mapping[UserId, Choices], moment: Moment
    ) -> None:
        """Write down people who never were in a channel; one statement, however many."""
        shared = {"channel_id": channel_id, "is_active": True, "read_up_to": moment.message}
        rows = [{"user_id": user_id, **shared, **vars(each)} for user_id, each in choices.items()]
        if rows:
            await self._db.execute(insert(Subscription), rows)

    async def set_inside(
        self, channel_id: ChannelId, user_ids: Iterable[UserId], **values: object
    ) -> None:
        """Change the rows of people who are or were in a channel."""
        for some in _chunks(sorted(user_ids)):
            await self._db.execute(
                update(Subscription)
                .where(Subscription.channel_id == channel_id, Subscription.user_id.in_(some))
                .values(**values)
            )

    async def begin_periods(
        self, channel_id: ChannelId, user_ids: Iterable[UserId], moment: Moment
    ) -> None:
        shared = {
            "channel_id": channel_id,
            "since_event": moment.event,
            "since_message": moment.message,
        }
        await self._db.execute(
            insert(SubscriptionPeriod), [{"user_id": user_id, **shared} for user_id in user_ids]
        )

    async def end_periods(
        self, channel_id: ChannelId, user_ids: Iterable[UserId], moment: Moment
    ) -> None:
        for some in _chunks(sorted(user_ids)):
            await self._db.execute(
                update(SubscriptionPeriod)
                .where(
                    SubscriptionPeriod.channel_id == channel_id,
                    SubscriptionPeriod.user_id.in_(some),
                    SubscriptionPeriod.until_event.is_(None),
                )
                .values(until_event=moment.event, until_message=moment.message)
            )

    async def forget_exceptions(self, channel_id: ChannelId, user_ids: Iterable[UserId]) -> None:
        """Nothing is unread in a channel one is not in, also when one comes back."""
        in_channel = select(Conversation.id).where(Conversation.channel_id == channel_id)
        for some in _chunks(sorted(user_ids)):
            await self._db.execute(
                delete(ReadException).where(
                    ReadException.user_id.in_(some),
                    ReadException.conversation_id.in_(in_channel),
                )
            )

    async def count_subscribers(self, channel_ids: Collection[ChannelId], change: int) -> None:
        """Keep the count of active subscribers in step."""
        await self._db.execute(
            update(Channel)
            .where(Channel.id.in_(channel_ids))
            .values(subscriber_count=Channel.subscriber_count + change)
        )


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _IDS_PER_STATEMENT):
        yield items[start : start + _IDS_PER_STATEMENT]
