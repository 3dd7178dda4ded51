"""Per-process cache of channels and topics, invalidated by the event log."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, select

from chatapi.channel_cache.records import ChannelRecord, channel_records
from chatapi.core.ids import ChannelId, ConversationId, RealmId
from chatapi.core.names import name_key
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Channel, Conversation
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import CacheTag, ChannelTag, MovedTopicsTag, SubscribersTag, TopicTag
from chatapi.events.feed_cache import FeedCache, Loading
from chatapi.events.hub import Hub

_MAX_CHANNELS = 20_000
"""Per realm."""
_MAX_TOPICS = 100_000
"""Per realm."""

Topic = tuple[ConversationId, str]
"""The conversation of a topic, and the topic's spelling."""
TopicLoading = Loading[tuple[ChannelId, str], Topic]

_OF_REALM = channel_records.select().where(Channel.realm_id == bindparam("realm_id"))
_BY_ID = _OF_REALM.where(Channel.id == bindparam("wanted"))
_SOME = _OF_REALM.where(is_one_of(Channel.id, "channel_ids"))
_BY_NAME = _OF_REALM.where(Channel.name_key == bindparam("wanted"))
_TOPIC = select(Conversation.id, Conversation.topic).where(
    Conversation.channel_id == bindparam("channel_id"), Conversation.topic_key == bindparam("key")
)
_SUBSCRIBER_COUNT = select(Channel.subscriber_count).where(
    Channel.realm_id == bindparam("realm_id"), Channel.id == bindparam("channel_id")
)


def channel_tags(channel_id: ChannelId) -> tuple[CacheTag, ...]:
    """Return the tags of events after which a cached channel does not hold any more."""
    return ChannelTag(channel_id), MovedTopicsTag(channel_id)


@dataclass(eq=False)
class CachedChannel:
    """A channel as of the last event about it that this process has seen."""

    record: ChannelRecord
    is_stale: bool = False
    """Set by the event log as soon as the channel changed; the next lookup gets a new record."""

    def mark_stale(self) -> None:
        self.is_stale = True


@dataclass(eq=False)
class SubscriberCount:
    """The number of a channel's active subscribers, as of the last event about them."""

    number: int
    is_stale: bool = False
    """Set by the event log as soon as a user was subscribed or unsubscribed."""

    def mark_stale(self) -> None:
        self.is_stale = True


class ChannelCache:
    """The cache of channels, their subscriber counts and topics; as current as the hub's feed."""

    def __init__(self, hub: Hub) -> None:
        self._channels = FeedCache[ChannelId, CachedChannel](
            hub,
            max_values=_MAX_CHANNELS,
            # What was looked up in a channel may concern topics.
            value_tags=(ChannelTag, MovedTopicsTag),
            tags_of=lambda channel_id, _known: channel_tags(channel_id),
            mark_stale=CachedChannel.mark_stale,
        )
        self._ids_by_name = FeedCache[str, ChannelId](
            hub,
            max_values=_MAX_CHANNELS,
            value_tags=(ChannelTag,),
            tags_of=lambda _name, channel_id: (ChannelTag(channel_id),),
        )
        """By the `name_key` of the name."""
        self._subscriber_counts = FeedCache[ChannelId, SubscriberCount](
            hub,
            max_values=_MAX_CHANNELS,
            value_tags=(SubscribersTag,),
            tags_of=lambda channel_id, _count: (SubscribersTag(channel_id),),
            mark_stale=SubscriberCount.mark_stale,
        )
        self._topics = FeedCache[tuple[ChannelId, str], Topic](
            hub,
            max_values=_MAX_TOPICS,
            value_tags=(TopicTag,),
            tags_of=lambda key, _topic: (TopicTag(*key),),
        )

    async def by_id(
        self, db: DatabaseSession, realm_id: RealmId, channel_id: ChannelId
    ) -> CachedChannel | None:
        known = self._channels.get(realm_id, channel_id)
        if known is not None:
            return known
        return await self._load(db, realm_id, _BY_ID, channel_id)

    async def by_name(
        self, db: DatabaseSession, realm_id: RealmId, name: str
    ) -> CachedChannel | None:
        key = name_key(name)
        channel_id = self._ids_by_name.get(realm_id, key)
        known = None if channel_id is None else self._channels.get(realm_id, channel_id)
        if known is not None:
            return known
        return await self._load(db, realm_id, _BY_NAME, key)

    def named(self, realm_id: RealmId, names: Iterable[str]) -> dict[str, ChannelRecord]:
        """Returns the cached channels among those with these names, by the names' `name_key`."""
        found: dict[str, ChannelRecord] = {}
        for key in map(name_key, names):
            channel_id = self._ids_by_name.get(realm_id, key)
            known = None if channel_id is None else self._channels.get(realm_id, channel_id)
            if known is not None:
                found[key] = known.record
        return found

    async def many(
        self, db: DatabaseSession, realm_id: RealmId, channel_ids: Iterable[ChannelId]
    ) -> dict[ChannelId, ChannelRecord]:
        """Returns the channels with these ids, for access checks."""
        known = await self.many_cached(db, realm_id, channel_ids)
        return {channel_id: each.record for channel_id, each in known.items()}

    async def many_cached(
        self, db: DatabaseSession, realm_id: RealmId, channel_ids: Iterable[ChannelId]
    ) -> dict[ChannelId, CachedChannel]:
        """Same as `many`, but returns whether each is stale, for use after a later snapshot."""
        found: dict[ChannelId, CachedChannel] = {}
        missing: list[ChannelId] = []
        for channel_id in set(channel_ids):
            known = self._channels.get(realm_id, channel_id)
            if known is None:
                missing.append(channel_id)
            else:
                found[channel_id] = known
        if missing:
            loading = await self._begin(db, realm_id)
            rows = await db.fetch(_SOME, {"realm_id": realm_id, "channel_ids": missing})
            for record in channel_records.read_all(rows):
                found[record.id] = self._keep(db, realm_id, loading, record)
        return found

    async def subscriber_count(
        self, db: DatabaseSession, realm_id: RealmId, channel_id: ChannelId
    ) -> SubscriberCount:
        """Returns how many active subscribers a channel has, and whether that still holds."""
        known = self._subscriber_counts.get(realm_id, channel_id)
        if known is not None:
            return known

        async def read() -> SubscriberCount:
            values = {"realm_id": realm_id, "channel_id": channel_id}
            rows = await db.execute(_SUBSCRIBER_COUNT, values)
            return SubscriberCount(rows.scalar_one())

        return await self._subscriber_counts.load(realm_id, channel_id, read, is_live=db.is_live)

    def topic(self, realm_id: RealmId, channel_id: ChannelId, topic: str) -> Topic | None:
        """Returns the conversation of a topic and the topic's spelling, if cached."""
        return self._topics.get(realm_id, (channel_id, name_key(topic)))

    async def find_topic(
        self, db: DatabaseSession, realm_id: RealmId, channel_id: ChannelId, topic: str
    ) -> Topic | None:
        """Returns the conversation of a topic and the topic's spelling, if it has messages."""
        key = (channel_id, name_key(topic))
        known = self._topics.get(realm_id, key)
        if known is not None:
            return known
        loading = await self._topics.begin(realm_id)
        rows = await db.execute(_TOPIC, {"channel_id": channel_id, "key": key[1]})
        row = rows.one_or_none()
        if row is None:
            return None
        found = (ConversationId(row[0]), row[1])
        return self._topics.keep(loading, key, found, is_live=db.is_live)

    def begin_topics(self, realm_id: RealmId) -> TopicLoading:
        """Begin to read or create topics in a locked realm; call it before the first statement."""
        return self._topics.begin_now(realm_id)

    def keep_topic(self, loading: TopicLoading, channel_id: ChannelId, topic: Topic) -> None:
        """Cache a topic after the commit of the transaction that read or created it."""
        self._topics.keep(loading, (channel_id, name_key(topic[1])), topic)

    async def _load(
        self,
        db: DatabaseSession,
        realm_id: RealmId,
        statement: Select[*tuple[Any, ...]],
        wanted: int | str,
    ) -> CachedChannel | None:
        loading = await self._begin(db, realm_id)
        rows = await db.execute(statement, {"realm_id": realm_id, "wanted": wanted})
        row = rows.one_or_none()
        return None if row is None else self._keep(db, realm_id, loading, channel_records.read(row))

    async def _begin(
        self, db: DatabaseSession, realm_id: RealmId
    ) -> Loading[ChannelId, CachedChannel]:
        if db.as_of is None:
            return await self._channels.begin(realm_id)
        return await self._channels.begin_as_of(realm_id, db.as_of)

    def _keep(
        self,
        db: DatabaseSession,
        realm_id: RealmId,
        loading: Loading[ChannelId, CachedChannel],
        record: ChannelRecord,
    ) -> CachedChannel:
        """Cache a channel, unless the transaction may see old or uncommitted data."""
        is_current = db.is_live or db.as_of is not None
        known = self._channels.keep(loading, record.id, CachedChannel(record), is_live=is_current)
        if db.is_live and not known.is_stale:
            # Its name is as current as the channel is at this moment.
            now = self._ids_by_name.begin_now(realm_id)
            self._ids_by_name.keep(now, name_key(record.name), record.id)
        return known
