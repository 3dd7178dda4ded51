"""Every SQL statement on channels and their topics."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import bindparam, func, insert, not_, or_, select, update

from chatapi.channel_cache.records import ChannelRecord, ChannelSummary, channel_records
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, MessageId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Channel, Conversation, Message, User
from chatapi.db.session import DatabaseSession
from chatapi.events.membership import SubscriptionPeriod
from chatapi.permissions.messages import sent_during

# Topics store their first and last messages: planners that estimate row counts search for both in
# the wrong place when most messages are in few channels.
_FIRST_MESSAGE = (
    select(func.min(Conversation.first_message_id))
    .where(Conversation.channel_id == Channel.id)
    .scalar_subquery()
)
_LAST_MESSAGE = (
    select(func.max(Conversation.last_message_id))
    .where(Conversation.channel_id == Channel.id)
    .correlate(Channel)
    .scalar_subquery()
)
_LAST_SENT = (
    select(Message.sent_at).where(Message.id == _LAST_MESSAGE).correlate(Channel).scalar_subquery()
)
_OF_REALM = channel_records.select().where(Channel.realm_id == bindparam("realm_id"))
_BY_ID = _OF_REALM.where(Channel.id == bindparam("channel_id"))
_SOME = _OF_REALM.where(is_one_of(Channel.id, "channel_ids")).order_by(Channel.id)
_ADD = insert(Channel).returning(Channel.id)
_SUMMARIES = _OF_REALM.add_columns(Channel.subscriber_count, _FIRST_MESSAGE, _LAST_SENT).order_by(
    Channel.id
)
_IDS = select(Channel.id).where(Channel.realm_id == bindparam("realm_id")).order_by(Channel.id)
_SUMMARIES_OF = _SUMMARIES.where(is_one_of(Channel.id, "channel_ids"))
_TOPICS = (
    select(Conversation.topic, Conversation.last_message_id)
    .where(Conversation.channel_id == bindparam("channel_id"))
    .order_by(Conversation.last_message_id.desc())
)


class ChannelRepository:
    """Channels of one realm; channels of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self, channel_id: ChannelId) -> ChannelRecord:
        channel = await self.find(channel_id)
        if channel is None:
            raise BadRequestError("Invalid channel ID")
        return channel

    async def find(self, channel_id: ChannelId) -> ChannelRecord | None:
        rows = await self._db.execute(
            _BY_ID, {"realm_id": self._realm_id, "channel_id": channel_id}
        )
        row = rows.one_or_none()
        return None if row is None else channel_records.read(row)

    async def list_named(self, names: Iterable[str]) -> dict[str, ChannelRecord]:
        """The channels with one of the names, keyed by the normalized name."""
        rows = await self._db.execute(
            _OF_REALM.where(Channel.name_key.in_([name_key(name) for name in names])),
            {"realm_id": self._realm_id},
        )
        channels = channel_records.read_all(rows)
        return {name_key(channel.name): channel for channel in channels}

    async def list_all(self) -> list[ChannelRecord]:
        """All channels by id, archived ones included."""
        rows = await self._db.execute(_OF_REALM.order_by(Channel.id), {"realm_id": self._realm_id})
        return channel_records.read_all(rows)

    async def list_some(self, channel_ids: Collection[ChannelId]) -> list[ChannelRecord]:
        """The channels that exist among the given ids, archived ones included."""
        values = {"realm_id": self._realm_id, "channel_ids": sorted(channel_ids)}
        rows = await self._db.execute(_SOME, values)
        return channel_records.read_all(rows)

    async def list_defaults(self) -> list[ChannelRecord]:
        """The channels that new users join, ordered by id."""
        rows = await self._db.execute(
            _OF_REALM.where(Channel.is_default).order_by(Channel.id), {"realm_id": self._realm_id}
        )
        return channel_records.read_all(rows)

    async def list_summaries(self) -> list[ChannelSummary]:
        """All channels by id, archived ones included, in one statement."""
        rows = await self._db.execute(_SUMMARIES, {"realm_id": self._realm_id})
        return [_read_summary(row) for row in rows.all()]

    async def list_ids(self) -> list[ChannelId]:
        """The ids of all channels, archived ones included."""
        rows = await self._db.fetch(_IDS, {"realm_id": self._realm_id})
        return [ChannelId(number) for (number,) in rows]

    async def list_summaries_of(self, channel_ids: Collection[ChannelId]) -> list[ChannelSummary]:
        """The same for some channels."""
        values = {"realm_id": self._realm_id, "channel_ids": sorted(channel_ids)}
        rows = await self._db.execute(_SUMMARIES_OF, values)
        return [_read_summary(row) for row in rows.all()]

    async def add(self, channels: Iterable[Mapping[str, object]]) -> list[ChannelRecord]:
        """Insert channels and return them by id; two statements, however many."""
        shared = {"realm_id": self._realm_id, "is_archived": False, "subscriber_count": 0}
        added = await self._db.execute(_ADD, [{**shared, **values} for values in channels])
        rows = await self._db.execute(
            _SOME, {"realm_id": self._realm_id, "channel_ids": [number for (number,) in added]}
        )
        return channel_records.read_all(rows)

    async def count_created(self, person: UserId) -> int:
        """The number of unarchived channels that a user and their bots have created."""
        creators = select(User.id).where(
            or_(User.id == bindparam("person"), User.bot_owner_id == bindparam("person"))
        )
        rows = await self._db.execute(
            select(func.count()).where(
                Channel.realm_id == bindparam("realm_id"),
                Channel.creator_id.in_(creators),
                not_(Channel.is_archived),
            ),
            {"realm_id": self._realm_id, "person": person},
        )
        return rows.scalar_one()

    async def change(self, channel_id: ChannelId, **values: object) -> None:
        await self._db.execute(
            update(Channel)
            .where(Channel.realm_id == self._realm_id, Channel.id == channel_id)
            .values(**values)
        )

    async def has_named_topics(self, channel_id: ChannelId) -> bool:
        """Whether there are messages outside the empty topic."""
        rows = await self._db.execute(
            select(Conversation.id)
            .where(Conversation.channel_id == channel_id, Conversation.topic_key != "")
            .limit(1)
        )
        return rows.first() is not None

    async def list_topics(self, channel_id: ChannelId) -> list[tuple[str, MessageId]]:
        """Each topic with its last message, the newest first."""
        rows = await self._db.execute(_TOPICS, {"channel_id": channel_id})
        return [(topic, MessageId(last)) for topic, last in rows]

    async def list_topics_within(
        self, channel_id: ChannelId, subscription_periods: Sequence[SubscriptionPeriod]
    ) -> list[tuple[str, MessageId]]:
        """The same, counting only messages of some subscription periods."""
        newest = func.max(Message.id)
        rows = await self._db.execute(
            select(Conversation.topic, newest)
            .join(Message, Message.conversation_id == Conversation.id)
            .where(Message.channel_id == channel_id, or_(*map(sent_during, subscription_periods)))
            .group_by(Conversation.id, Conversation.topic)
            .order_by(newest.desc())
        )
        return [(topic, MessageId(last)) for topic, last in rows]


def _read_summary(row: Sequence[object]) -> ChannelSummary:
    *record, subscriber_count, first_message_id, last_sent_at = row
    return ChannelSummary(
        channel_records.read(record),
        subscriber_count,  # type: ignore[arg-type]  # columns
        first_message_id,  # type: ignore[arg-type]
        last_sent_at,  # type: ignore[arg-type]
    )
