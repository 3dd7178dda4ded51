"""Channels and topics this process remembers, each until the log says that it changed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, bindparam, select

from chatapi.channels.records import ChannelRecord, channel_records
from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId
from chatapi.core.names import name_key
from chatapi.db.message_ids import newest_message_id
from chatapi.db.models import Channel, Conversation
from chatapi.db.session import DatabaseSession
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer

_MOST_CHANNELS = 20_000
_MOST_TOPICS = 100_000

NO_MESSAGE = MessageId(-1)
"""Before the first message."""

_OF_REALM = channel_records.select().where(Channel.realm_id == bindparam("realm_id"))
_BY_ID = _OF_REALM.where(Channel.id == bindparam("wanted"))
_BY_NAME = _OF_REALM.where(Channel.name_key == bindparam("wanted"))
_TOPIC = select(Conversation.id, Conversation.topic).where(
    Conversation.channel_id == bindparam("channel_id"), Conversation.topic_key == bindparam("key")
)


@dataclass(eq=False)
class KnownChannel:
    """A channel as of the last event this process has seen about it."""

    record: ChannelRecord
    is_outdated: bool = False
    """Set by the log as soon as the channel changed; whoever asks next gets a new one."""


@dataclass
class _RealmMemory:
    by_id: dict[ChannelId, KnownChannel] = field(default_factory=dict)
    ids_by_name: dict[str, ChannelId] = field(default_factory=dict)
    topics: dict[tuple[ChannelId, str], tuple[ConversationId, str]] = field(default_factory=dict)
    changes: int = 0
    newest_message: MessageId = NO_MESSAGE
    """The newest one the log told of."""
    newest_is_known: bool = False
    """Whether those from before this process followed the realm were looked at."""


class ChannelDirectory:
    """The cache between ids, names and the tables; never ahead of nor behind the hub's feed."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._realms: dict[RealmId, _RealmMemory] = {}
        hub.observe(Observer(saw=self._saw, lost_track=self._forget_realm))

    async def by_id(
        self, db: DatabaseSession, realm_id: RealmId, channel_id: ChannelId
    ) -> KnownChannel | None:
        known = self._memory(realm_id).by_id.get(channel_id)
        if known is not None:
            return known
        return await self._load(db, realm_id, _BY_ID, channel_id)

    async def by_name(
        self, db: DatabaseSession, realm_id: RealmId, name: str
    ) -> KnownChannel | None:
        memory = self._memory(realm_id)
        key = name_key(name)
        channel_id = memory.ids_by_name.get(key)
        known = None if channel_id is None else memory.by_id.get(channel_id)
        # It may have another name by now.
        if known is not None and name_key(known.record.name) == key:
            return known
        return await self._load(db, realm_id, _BY_NAME, key)

    async def many(
        self, db: DatabaseSession, realm_id: RealmId, channel_ids: Iterable[ChannelId]
    ) -> dict[ChannelId, ChannelRecord]:
        """The channels with these ids, for the question who may read what in them."""
        known = await self.many_known(db, realm_id, channel_ids)
        return {channel_id: each.record for channel_id, each in known.items()}

    async def many_known(
        self, db: DatabaseSession, realm_id: RealmId, channel_ids: Iterable[ChannelId]
    ) -> dict[ChannelId, KnownChannel]:
        """The same with whether each is outdated, for what is used after a later snapshot."""
        memory = self._memory(realm_id)
        wanted = set(channel_ids)
        found = {key: memory.by_id[key] for key in wanted & memory.by_id.keys()}
        if missing := wanted - found.keys():
            await self._hub.feed(realm_id)
            changes = memory.changes
            rows = await db.execute(
                channel_records.select().where(
                    Channel.realm_id == realm_id, Channel.id.in_(list(missing))
                )
            )
            for row in rows:
                known = KnownChannel(channel_records.read(row), changes != memory.changes)
                found[known.record.id] = self._keep(db, memory, known)
        return found

    async def newest_message(self, db: DatabaseSession, realm_id: RealmId) -> MessageId:
        """The newest message of the realm; costs no statement after the first time."""
        memory = self._memory(realm_id)
        if not memory.newest_is_known:
            # Follow the realm before reading: what comes after is told by the log.
            await self._hub.feed(realm_id)
            changes = memory.changes
            found = max(memory.newest_message, await newest_message_id(db, realm_id) or NO_MESSAGE)
            if changes != memory.changes or not db.is_live:
                return found
            memory.newest_message = max(memory.newest_message, found)
            memory.newest_is_known = True
        return memory.newest_message

    def topic(
        self, realm_id: RealmId, channel_id: ChannelId, topic: str
    ) -> tuple[ConversationId, str] | None:
        """The conversation of a topic and how the topic is written there, if remembered."""
        return self._memory(realm_id).topics.get((channel_id, name_key(topic)))

    async def find_topic(
        self, db: DatabaseSession, realm_id: RealmId, channel_id: ChannelId, topic: str
    ) -> tuple[ConversationId, str] | None:
        """The conversation of a topic and how the topic is written there, if it has messages."""
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
            self.remember_topic(realm_id, channel_id, found, as_of)
        return found

    def changes_of(self, realm_id: RealmId) -> int:
        """How often something changed; note it before a look at the tables."""
        return self._memory(realm_id).changes

    def remember_topic(
        self,
        realm_id: RealmId,
        channel_id: ChannelId,
        topic: tuple[ConversationId, str],
        as_of: int,
    ) -> None:
        """Call for what is committed only; it is forgotten if anything changed meanwhile."""
        memory = self._memory(realm_id)
        if memory.changes != as_of:
            return
        if len(memory.topics) >= _MOST_TOPICS:
            memory.topics.clear()
        memory.topics[channel_id, name_key(topic[1])] = topic

    async def _load(
        self,
        db: DatabaseSession,
        realm_id: RealmId,
        statement: Select[*tuple[Any, ...]],
        wanted: int | str,
    ) -> KnownChannel | None:
        # Follow the realm before reading, so that no change between can be missed.
        await self._hub.feed(realm_id)
        memory = self._memory(realm_id)
        changes = memory.changes
        rows = await db.execute(statement, {"realm_id": realm_id, "wanted": wanted})
        row = rows.one_or_none()
        if row is None:
            return None
        known = KnownChannel(channel_records.read(row), is_outdated=changes != memory.changes)
        return self._keep(db, memory, known)

    def _keep(self, db: DatabaseSession, memory: _RealmMemory, known: KnownChannel) -> KnownChannel:
        """What a transaction sees may be older than now, or not be committed yet."""
        if known.is_outdated or not db.is_live:
            return known
        if len(memory.by_id) >= _MOST_CHANNELS:
            memory.by_id.clear()
            memory.ids_by_name.clear()
        memory.ids_by_name[name_key(known.record.name)] = known.record.id
        return memory.by_id.setdefault(known.record.id, known)

    def _memory(self, realm_id: RealmId) -> _RealmMemory:
        memory = self._realms.get(realm_id)
        if memory is None:
            memory = self._realms[realm_id] = _RealmMemory()
        return memory

    def _saw(self, entry: Entry) -> None:
        event = entry.event
        if (message_id := event.sent_message()) is not None:
            memory = self._memory(entry.realm_id)
            memory.newest_message = max(memory.newest_message, message_id)
        if event.changes_realm() or event.moves_conversations():
            self._forget_realm(entry.realm_id)
            return
        if deleted := event.deleted_messages():
            self._forget_deleted(self._memory(entry.realm_id), max(deleted), event.ended_topic())
        for channel_id in event.changed_channels():
            memory = self._memory(entry.realm_id)
            memory.changes += 1
            known = memory.by_id.pop(channel_id, None)
            if known is not None:
                known.is_outdated = True

    def _forget_deleted(
        self, memory: _RealmMemory, newest: MessageId, topic: tuple[ChannelId, str] | None
    ) -> None:
        if newest >= memory.newest_message:
            memory.changes += 1
            memory.newest_message = NO_MESSAGE
            memory.newest_is_known = False
        if topic is not None:
            memory.changes += 1
            memory.topics.pop((topic[0], name_key(topic[1])), None)

    def _forget_realm(self, realm_id: RealmId) -> None:
        memory = self._memory(realm_id)
        memory.changes += 1
        memory.newest_is_known = False
        for known in memory.by_id.values():
            known.is_outdated = True
        memory.by_id.clear()
        memory.ids_by_name.clear()
        memory.topics.clear()
