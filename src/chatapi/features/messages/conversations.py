"""Looks up the conversations of new messages; the first message of one creates it."""

from collections.abc import Iterable, Mapping

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId
from chatapi.core.names import name_key
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.messages.outgoing import DirectTarget, TopicTarget
from chatapi.features.messages.repository import (
    FoundTopic,
    MessageRepository,
    NewDirectConversation,
    NewTopic,
    TopicKey,
)


class BatchConversations:
    """The conversations of one batch, in a locked realm."""

    def __init__(
        self, runtime: Runtime, realm_id: RealmId, work: UnitOfWork, *, trusts_cache: bool
    ) -> None:
        self._channels = runtime.channels
        self._work = work
        self._trusts_cache = trusts_cache
        self._realm_id = realm_id
        self._repository = MessageRepository(work.db, realm_id)
        self._loading = runtime.channels.begin_topics(realm_id)
        self._topics: dict[TopicKey, FoundTopic] = {}
        self._people: dict[str, ConversationId] = {}
        self._empty: set[str] = set()
        """Keys of conversations whose messages were all deleted."""

    async def find(self, targets: Iterable[TopicTarget | DirectTarget]) -> None:
        """Look up the conversations that exist; recently used topics cost no statement (cache)."""
        unknown_topics: set[TopicKey] = set()
        unknown_people: set[str] = set()
        for target in targets:
            if isinstance(target, DirectTarget):
                unknown_people.add(target.key)
                continue
            channel_id = target.channel.record.id
            known = None
            if self._trusts_cache:
                known = self._channels.topic(self._realm_id, channel_id, target.topic)
            if known is None:
                unknown_topics.add(_topic_key(target))
            else:
                self._topics[_topic_key(target)] = FoundTopic(*known)
        if unknown_topics:
            found = await self._repository.find_topics(unknown_topics)
            self._topics |= found
            for (channel_id, _key), topic in found.items():
                self._cache_topic(channel_id, topic)
        if unknown_people:
            for key, found_people in (await self._repository.find_people(unknown_people)).items():
                self._people[key] = found_people.id
                if found_people.is_empty:
                    self._empty.add(key)

    def is_there(self, target: TopicTarget | DirectTarget) -> bool:
        if isinstance(target, DirectTarget):
            return target.key in self._people
        return _topic_key(target) in self._topics

    async def begin(
        self, messages: Iterable[tuple[TopicTarget | DirectTarget, MessageId]]
    ) -> frozenset[MessageId]:
        """Create missing conversations; returns the messages that begin a conversation."""
        topics: dict[TopicKey, NewTopic] = {}
        people: dict[str, NewDirectConversation] = {}
        again: dict[ConversationId, MessageId] = {}
        for target, message_id in messages:
            if self.is_there(target):
                if isinstance(target, DirectTarget) and target.key in self._empty:
                    again.setdefault(self._people[target.key], message_id)
                continue
            if isinstance(target, DirectTarget):
                user_ids = [person.id for person in target.people]
                people.setdefault(
                    target.key, NewDirectConversation(target.key, user_ids, message_id)
                )
            else:
                key = _topic_key(target)
                topics.setdefault(key, NewTopic(key[0], target.topic, message_id))
        if again:
            await self._repository.begin_again(again)
        if topics:
            await self._add_topics(topics)
        if people:
            self._people |= await self._repository.add_people(people.values())
        return frozenset(
            [each.first_message for each in topics.values()]
            + [each.first_message for each in people.values()]
        )

    def get(self, target: TopicTarget | DirectTarget) -> tuple[ConversationId, str]:
        """The conversation and its topic."""
        if isinstance(target, DirectTarget):
            return self._people[target.key], ""
        found = self._topics[_topic_key(target)]
        return found.id, found.topic

    async def _add_topics(self, topics: Mapping[TopicKey, NewTopic]) -> None:
        for key, conversation_id in (await self._repository.add_topics(topics.values())).items():
            self._topics[key] = FoundTopic(conversation_id, topics[key].topic)
            self._cache_topic(key[0], self._topics[key])

    def _cache_topic(self, channel_id: ChannelId, topic: FoundTopic) -> None:
        self._work.after_commit(
            lambda: self._channels.keep_topic(self._loading, channel_id, (topic.id, topic.topic))
        )


def _topic_key(target: TopicTarget) -> TopicKey:
    return target.channel.record.id, name_key(target.topic)
