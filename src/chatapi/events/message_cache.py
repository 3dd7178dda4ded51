"""A cache of encoded messages: what is the same for all readers until an event changes it."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from msgspec import Struct

from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.events.byte_limit import ByteLimit
from chatapi.events.cache_tags import AnyMessageTag, CacheTag, MessageHistoriesTag, MessageTag
from chatapi.events.feed_cache import FeedCache, Loading
from chatapi.events.hub import Hub

_BYTES_PER_VALUE = 1_000
"""What a value takes besides its JSON: keys, tags and their places in dictionaries."""


class EncodedMessage(NamedTuple):
    """The part of a message's JSON that depends on the message alone."""

    json: bytes
    """An object without its closing brace: further members are appended."""
    text_bytes: int
    """How much it counts in the limit of a page's texts."""
    reactions: int


class MessageKey(NamedTuple):
    """A message in one of the forms that clients ask for."""

    message_id: MessageId
    apply_markdown: bool
    trail: bool | None
    """None for a message without an edit history; otherwise whether that shows empty topics."""


class MessageLoading(Struct, frozen=True):
    """A read of messages that has begun."""

    original: Loading[MessageKey, EncodedMessage]
    changed: Loading[MessageKey, EncodedMessage]


class MessageCache:
    """Encoded messages as of an event.

    A message's place and sender, and the reader's flags, are no part of a value, so renaming a
    topic, a user or a channel drops none. An edit history tells of moves: moved messages are
    dropped. Renaming a topic changes the histories of its messages without listing them: messages
    with a history are cached separately, and all dropped by that.
    """

    def __init__(self, hub: Hub, max_bytes: int) -> None:
        limit = ByteLimit[EncodedMessage](
            max_bytes, lambda message: len(message.json) + _BYTES_PER_VALUE
        )

        def new_cache(*realm_tags: type[CacheTag]) -> FeedCache[MessageKey, EncodedMessage]:
            return FeedCache(
                hub,
                byte_limit=limit,
                realm_tags=(AnyMessageTag, *realm_tags),
                value_tags=(MessageTag,),
                tags_of=lambda key, _message: (MessageTag(key.message_id),),
            )

        self._original = new_cache()
        self._changed = new_cache(MessageHistoriesTag)

    def find(
        self, realm_id: RealmId, keys: Collection[MessageKey], as_of: EventNumber
    ) -> dict[MessageId, EncodedMessage]:
        """Return those of the messages that are cached as they were at an event."""
        by_key = self._original.get_some_as_of(realm_id, keys, as_of)
        changed = [key for key in keys if key.trail is not None]
        if changed:
            by_key |= self._changed.get_some_as_of(realm_id, changed, as_of)
        return {key.message_id: message for key, message in by_key.items()}

    async def begin(self, realm_id: RealmId, as_of: EventNumber) -> MessageLoading:
        """Begin to read messages from a snapshot; call it before the statements."""
        return MessageLoading(
            await self._original.begin_as_of(realm_id, as_of),
            await self._changed.begin_as_of(realm_id, as_of),
        )

    def keep(self, loading: MessageLoading, messages: Mapping[MessageKey, EncodedMessage]) -> None:
        """Cache what was read, unless an event has changed a message meanwhile."""
        for key, message in messages.items():
            if key.trail is None:
                self._original.keep(loading.original, key, message)
            else:
                self._changed.keep(loading.changed, key, message)
