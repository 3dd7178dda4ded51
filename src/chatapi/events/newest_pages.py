"""A cache of the newest messages of topics: what is the same for all readers of a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.events.byte_limit import ByteLimit
from chatapi.events.cache_tags import (
    AnyMessageTag,
    CacheTag,
    MessageTag,
    NewMessageTag,
    TopicTag,
)
from chatapi.events.feed_cache import FeedCache, Loading
from chatapi.events.hub import Hub

_BYTES_PER_MESSAGE = 700
"""What a message of a page takes besides its JSON: fields, tag, sender and topic."""


class PageKey(NamedTuple):
    """Which messages of which topic, and in which form."""

    conversation_id: ConversationId
    num_before: int
    apply_markdown: bool
    allow_empty_topic_name: bool


class SharedMessage(NamedTuple):
    """What all readers of a message share."""

    id: MessageId
    sender_id: UserId
    arrival: EventNumber | None
    json: bytes
    """The content of the message: an object without its closing brace."""
    state: int
    """What `shared_state` returned."""


@dataclass(eq=False)
class NewestPage:
    """The newest messages of a topic, the oldest first; at least one."""

    channel_id: ChannelId
    topic: str
    conversation_id: ConversationId
    messages: Sequence[SharedMessage]
    found_oldest: bool
    is_stale: bool = False
    """Set by the event log as soon as one of the messages, or which they are, has changed."""
    _joined: tuple[object, list[bytes]] | None = field(default=None, repr=False)

    @cached_property
    def sender_ids(self) -> frozenset[UserId]:
        return frozenset(message.sender_id for message in self.messages)

    @property
    def bytes_in_memory(self) -> int:
        """Twice the contents: they are also kept joined with sender and topic."""
        contents = sum(len(each.json) for each in self.messages)
        return 2 * contents + len(self.messages) * _BYTES_PER_MESSAGE

    def mark_stale(self) -> None:
        self.is_stale = True

    @cached_property
    def tags(self) -> tuple[CacheTag, ...]:
        return (
            NewMessageTag(self.conversation_id),
            TopicTag(self.channel_id, name_key(self.topic)),
            *(MessageTag(message.id) for message in self.messages),
        )

    def joined(self, parts: object, join: Callable[[SharedMessage], bytes]) -> list[bytes]:
        """Return the messages with other parts; what was joined last is kept for equal parts."""
        if self._joined is None or self._joined[0] != parts:
            self._joined = parts, [join(each) for each in self.messages]
        return self._joined[1]


class NewestPages:
    """Pages that end with the newest message of a topic.

    A new message drops those of its topic, as do changes of the messages, of the topic's name, and
    of what is in it. Edit histories that change without their messages being listed are those of a
    topic that is renamed or moved, whose pages are dropped by its `TopicTag`.
    """

    def __init__(self, hub: Hub, byte_limit: ByteLimit[NewestPage]) -> None:
        self._pages = FeedCache[PageKey, NewestPage](
            hub,
            byte_limit=byte_limit,
            realm_tags=(AnyMessageTag,),
            value_tags=(MessageTag, NewMessageTag, TopicTag),
            tags_of=lambda _key, page: page.tags,
            mark_stale=NewestPage.mark_stale,
        )

    def find(self, realm_id: RealmId, key: PageKey) -> NewestPage | None:
        """Return a page that is as current as the feed.

        It is valid as of any event from now on at which it is not stale.
        """
        return self._pages.get(realm_id, key)

    async def begin(self, realm_id: RealmId) -> Loading[PageKey, NewestPage]:
        """Begin to read a page; call it before the statement."""
        return await self._pages.begin(realm_id)

    def keep(self, loading: Loading[PageKey, NewestPage], key: PageKey, page: NewestPage) -> None:
        """Cache what was read, unless an event may have changed it meanwhile."""
        self._pages.keep(loading, key, page)
