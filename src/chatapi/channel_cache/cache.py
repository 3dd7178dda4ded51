"""Per-process cache of channels and topics, invalidated by the event log."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, bindparam, select

from chatapi.channel_cache.records import ChannelRecord, channel_records
from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId
from chatapi.core.names import name_key
from chatapi.db.message_ids import newest_message_id
from chatapi.db.models import Channel, Conversation
from chatapi.db.session import DatabaseSession
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer

_MAX_CHANNELS = 20_000
_MAX_TOPICS = 100_000

NO_MESSAGE = MessageId(-1)
"""Stands for "no message yet"."""

_OF_REALM = channel_records.select().where(Channel.realm_id == bindparam("realm_id"))
_BY_ID = _OF_REALM.where(Channel.id == bindparam("wanted"))
_BY_NAME = _OF_REALM.where(Channel.name_key == bindparam("wanted"))
_TOPIC = select(Conversation.id, Conversation.topic).where(
    Conversation.channel_id == bindparam("channel_id"), Conversation.topic_key == bindparam("key")
)


@dataclass(eq=False)
class CachedChannel:
    """A channel as of the last event about it that this process has seen."""

    record: ChannelRecord
    is_stale: bool = False
    """Set by the event log as soon as the channel changed; the next lookup gets a new record."""


@dataclass
class _RealmCache:
    by_id: dict[ChannelId, CachedChannel] = field(default_factory=dict)
    ids_by_name: dict[str, ChannelId] = field(default_factory=dict)
    topics: dict[tuple[ChannelId, str], tuple[ConversationId, str]] = field(default_factory=dict)
    changes: int = 0
    newest_message: MessageId = NO_MESSAGE
    """The newest message seen in the log."""
    newest_is_known: bool = False
    """Whether messages from before this process followed the realm were looked up."""


class ChannelCache:
    """The cache of channels by id and name, and of topics; always as current as the hub's feed."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._realms: dict[RealmId, _RealmCache] = {}
        hub.observe(Observer(on_event=self._on_event, on_reset=self._invalidate_realm))

    async def by_id(
        self, db: DatabaseSession, realm_id: RealmId, channel_id: ChannelId
    ) -> CachedChannel | None:
        known = self._realm_cache(realm_id).by_id.get(channel_id)
        if known is not None:
            return known
        return await self._load(db, realm_id, _BY_ID, channel_id)

    async def by_name(
        self, db: DatabaseSession, realm_id: RealmId, name: str
    ) -> CachedChannel | None:
        cached = self._realm_cache(realm_id)
        key = name_key(name)
        channel_id = cached.ids_by_name.get(key)
        known = None if channel_id is None else cached.by_id.get(channel_id)
        # The channel may have been renamed since.
        if known is not None and name_key(known.record.name) == key:
            return known
        return await self._load(db, realm_id, _BY_NAME, key)

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
        cached = self._realm_cache(realm_id)
        wanted = set(channel_ids)
        found = {key: cached.by_id[key] for key in wanted & cached.by_id.keys()}
        if missing := wanted - found.keys():
            await self._hub.feed(realm_id)
            changes = cached.changes
            rows = await db.execute(
                channel_records.select().where(
                    Channel.realm_id == realm_id, Channel.id.in_(list(missing))
                )
            )
            for row in rows:
                known = CachedChannel(channel_records.read(row), changes != cached.changes)
                found[known.record.id] = self._keep(db, cached, known)
        return found

    async def newest_message(self, db: DatabaseSession, realm_id: RealmId) -> MessageId:
        """Returns the newest message of the realm; only the first call costs a statement."""
        cached = self._realm_cache(realm_id)
        if not cached.newest_is_known:
            # Follow the realm's log before reading: later messages come from the log.
            await self._hub.feed(realm_id)
            changes = cached.changes
            found = max(cached.newest_message, await newest_message_id(db, realm_id) or NO_MESSAGE)
            if changes != cached.changes or not db.is_live:
                return found
            cached.newest_message = max(cached.newest_message, found)
            cached.newest_is_known = True
        return cached.newest_message

    def topic(
        self, realm_id: RealmId, channel_id: ChannelId, topic: str
    ) -> tuple[ConversationId, str] | None:
        """Returns the conversation of a topic and the topic's spelling, if cached."""
        return self._realm_cache(realm_id).topics.get((channel_id, name_key(topic)))

    async def find_topic(
        self, db: DatabaseSession, realm_id: RealmId, channel_id: ChannelId, topic: str
    ) -> tuple[ConversationId, str] | None:
        """Returns the conversation of a topic and the topic's spelling, if it has messages."""
        known = self.topic(realm_id, channel_id, topic)
        if known is not None:
            return known
        await self._hub.feed(realm_id)
        as_of = self.changes_of(realm_id)
        rows = await db.execute(_TOPIC, {"channel_id": channel_id, "key": name_key(topic)})
        row = rows.one_or_none()
        if row is None:
            return None
        found = (ConversationId(row[0]), row[1])
        if db.is_live:
            self.cache_topic(realm_id, channel_id, found, as_of)
        return found

    def changes_of(self, realm_id: RealmId) -> int:
        """The number of changes so far; read it before reading the tables."""
        return self._realm_cache(realm_id).changes

    def cache_topic(
        self,
        realm_id: RealmId,
        channel_id: ChannelId,
        topic: tuple[ConversationId, str],
        as_of: int,
    ) -> None:
        """Cache a topic; call it only for committed data.

        Ignored if anything changed since `as_of`.
        """
        cached = self._realm_cache(realm_id)
        if cached.changes != as_of:
            return
        if len(cached.topics) >= _MAX_TOPICS:
            cached.topics.clear()
        cached.topics[channel_id, name_key(topic[1])] = topic

    async def _load(
        self,
        db: DatabaseSession,
        realm_id: RealmId,
        statement: Select[*tuple[Any, ...]],
        wanted: int | str,
    ) -> CachedChannel | None:
        # Follow the realm's log before reading, so that no change in between can be missed.
        await self._hub.feed(realm_id)
        cached = self._realm_cache(realm_id)
        changes = cached.changes
        rows = await db.execute(statement, {"realm_id": realm_id, "wanted": wanted})
        row = rows.one_or_none()
        if row is None:
            return None
        known = CachedChannel(channel_records.read(row), is_stale=changes != cached.changes)
        return self._keep(db, cached, known)

    def _keep(
        self, db: DatabaseSession, cached: _RealmCache, known: CachedChannel
    ) -> CachedChannel:
        """Cache a channel, unless the transaction may see old or uncommitted data."""
        if known.is_stale or not db.is_live:
            return known
        if len(cached.by_id) >= _MAX_CHANNELS:
            cached.by_id.clear()
            cached.ids_by_name.clear()
        cached.ids_by_name[name_key(known.record.name)] = known.record.id
        return cached.by_id.setdefault(known.record.id, known)

    def _realm_cache(self, realm_id: RealmId) -> _RealmCache:
        cached = self._realms.get(realm_id)
        if cached is None:
            cached = self._realms[realm_id] = _RealmCache()
        return cached

    def _on_event(self, entry: Entry) -> None:
        event = entry.event
        if (message_id := event.sent_message()) is not None:
            cached = self._realm_cache(entry.realm_id)
            cached.newest_message = max(cached.newest_message, message_id)
        if event.changes_realm() or event.moves_conversations():
            self._invalidate_realm(entry.realm_id)
            return
        if deleted := event.deleted_messages():
            self._forget_deleted(
                self._realm_cache(entry.realm_id), max(deleted), event.ended_topic()
            )
        for channel_id in event.changed_channels():
            cached = self._realm_cache(entry.realm_id)
            cached.changes += 1
            known = cached.by_id.pop(channel_id, None)
            if known is not None:
                known.is_stale = True

    def _forget_deleted(
        self, cached: _RealmCache, newest: MessageId, topic: tuple[ChannelId, str] | None
    ) -> None:
        if newest >= cached.newest_message:
            cached.changes += 1
            cached.newest_message = NO_MESSAGE
            cached.newest_is_known = False
        if topic is not None:
            cached.changes += 1
            cached.topics.pop((topic[0], name_key(topic[1])), None)

    def _invalidate_realm(self, realm_id: RealmId) -> None:
        cached = self._realm_cache(realm_id)
        cached.changes += 1
        cached.newest_is_known = False
        for known in cached.by_id.values():
            known.is_stale = True
        cached.by_id.clear()
        cached.ids_by_name.clear()
        cached.topics.clear()
