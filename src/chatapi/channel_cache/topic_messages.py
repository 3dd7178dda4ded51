"""A cache of which messages topics have: what it takes to find the unread ones of any reader."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Self, cast

from orjson import Fragment

from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, RealmId, UserId
from chatapi.events.byte_limit import ByteLimit
from chatapi.events.cache_tags import ChannelMessagesTag
from chatapi.events.feed_cache import FeedCache, Loading
from chatapi.events.hub import Hub

NOBODY = 0
"""Stands for "no user" in an array."""
MOST_MESSAGES = 1_000
"""How many of a topic are kept."""
_BYTES_PER_TOPIC = 1_000
_BYTES_PER_MESSAGE = 70
"""In both arrays, and in what was unread for the last reader, with its JSON."""


@dataclass(eq=False, slots=True)
class UnreadConversation:
    """The unread messages of a conversation; readers share it, so nobody changes it."""

    id: ConversationId
    channel_id: ChannelId | None
    topic: str
    message_ids: Sequence[MessageId]
    """At least one, ascending."""
    _encoded: tuple[str, Fragment] | None = field(default=None, init=False, repr=False)

    def encoded(self, topic: str, encode: Callable[[Self, str], Fragment]) -> Fragment:
        """Return its JSON, with the topic as a client is shown it; it is kept for other readers."""
        if self._encoded is None or self._encoded[0] != topic:
            self._encoded = topic, encode(self, topic)
        return self._encoded[1]


@dataclass(eq=False, slots=True)
class TopicMessages:
    """All messages of a topic between two ids."""

    conversation_id: ConversationId
    channel_id: ChannelId
    topic: str
    above: MessageId
    up_to: MessageId
    """The last one of the topic, as of when it was read."""
    ids: "array[int]"
    """Ascending."""
    read_by: "array[int]"
    """For each message its sender, if they had read it when they sent it, else NOBODY."""
    calls: Sequence[MessageId]
    """Those that mention all users of the channel."""
    topic_calls: Sequence[MessageId]
    """Those that mention all users who took part in the topic before."""
    _readers: frozenset[int] = field(init=False, repr=False)
    _latest: tuple[tuple[MessageId, MessageId], UnreadConversation | None] | None = field(
        default=None, init=False, repr=False
    )

    def __post_init__(self) -> None:
        self._readers = frozenset(self.read_by)

    @property
    def is_full(self) -> bool:
        """Whether earlier messages would not be kept."""
        return len(self.ids) >= MOST_MESSAGES

    def unread(
        self, reader_id: UserId, position: MessageId, up_to: MessageId
    ) -> UnreadConversation | None:
        """Return what is unread above a reader's position, if there are no read exceptions.

        Both ids must be within those of the topic. What was returned last is kept, since many
        readers have read the same.
        """
        span = slice(bisect_right(self.ids, position), bisect_right(self.ids, up_to))
        if reader_id in self._readers:
            pairs = zip(self.ids[span], self.read_by[span], strict=True)
            return self._conversation([each for each, read_by in pairs if read_by != reader_id])
        if self._latest is None or self._latest[0] != (position, up_to):
            self._latest = (position, up_to), self._conversation(self.ids[span].tolist())
        return self._latest[1]

    def _conversation(self, ids: list[int]) -> UnreadConversation | None:
        if not ids:
            return None
        message_ids = cast(list[MessageId], ids)
        return UnreadConversation(self.conversation_id, self.channel_id, self.topic, message_ids)

    def followed_by(self, later: "TopicMessages") -> "TopicMessages":
        """Return the newest messages of both; the later ones begin where these end."""
        ids = self.ids + later.ids
        first = max(len(ids) - MOST_MESSAGES, 0)
        above = self.above if first == 0 else MessageId(ids[first - 1])
        return TopicMessages(
            conversation_id=self.conversation_id,
            channel_id=later.channel_id,
            topic=later.topic,
            above=above,
            up_to=later.up_to,
            ids=ids[first:],
            read_by=(self.read_by + later.read_by)[first:],
            calls=[each for each in (*self.calls, *later.calls) if each > above],
            topic_calls=[each for each in (*self.topic_calls, *later.topic_calls) if each > above],
        )

    @property
    def bytes_in_memory(self) -> int:
        return _BYTES_PER_TOPIC + len(self.ids) * _BYTES_PER_MESSAGE


class TopicMessagesCache:
    """Topics with messages that someone has not read.

    A topic is dropped when its messages change, and not by a new one: who needs the new ones adds
    them. So what is kept may go further than a reader's snapshot.
    """

    def __init__(self, hub: Hub, byte_limit: ByteLimit[TopicMessages]) -> None:
        self._topics = FeedCache[ConversationId, TopicMessages](
            hub,
            byte_limit=byte_limit,
            value_tags=(ChannelMessagesTag,),
            tags_of=lambda _conversation_id, topic: (ChannelMessagesTag(topic.channel_id),),
        )

    def find(
        self, realm_id: RealmId, conversation_ids: Collection[ConversationId], as_of: EventNumber
    ) -> dict[ConversationId, TopicMessages]:
        """Return those of the topics whose messages had not changed at an event."""
        return self._topics.get_some_as_of(realm_id, conversation_ids, as_of)

    async def begin(
        self, realm_id: RealmId, as_of: EventNumber
    ) -> Loading[ConversationId, TopicMessages]:
        """Begin to read topics from a snapshot, and `keep` each."""
        return await self._topics.begin_as_of(realm_id, as_of)

    def keep(
        self,
        loading: Loading[ConversationId, TopicMessages],
        conversation_id: ConversationId,
        topic: TopicMessages,
    ) -> None:
        """Cache a topic, unless an event has changed its messages meanwhile."""
        self._topics.keep(loading, conversation_id, topic)

    def replace(
        self,
        realm_id: RealmId,
        conversation_id: ConversationId,
        old: TopicMessages,
        new: TopicMessages,
    ) -> None:
        """Replace a topic by one with more messages, unless it was dropped or replaced."""
        self._topics.replace(realm_id, conversation_id, old, new)
