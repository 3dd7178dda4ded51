"""A cache of encoded messages: what is the same for all readers until an event changes it."""

from collections.abc import Iterable, Mapping
from itertools import product, starmap
from typing import NamedTuple

from msgspec import Struct

from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.events.byte_limit import ByteLimit
from chatapi.events.cache_tags import AnyMessageTag, MessageHistoriesTag, MessageTag
from chatapi.events.feed_cache import FeedCache, Loading
from chatapi.events.hub import Hub

_BYTES_PER_MESSAGE = 1_000
"""What a message takes besides its JSON: keys, tags and their places in dictionaries."""


class EncodedMessage(NamedTuple):
    """The part of a message's JSON that depends on the message alone."""

    json: bytes
    """An object without its closing brace: further members are appended."""
    text_bytes: int
    """How much it counts in the limit of a page's texts."""
    reactions: int

    @property
    def bytes_in_memory(self) -> int:
        return len(self.json) + _BYTES_PER_MESSAGE


class MessageForm(NamedTuple):
    """The form in which clients ask for messages."""

    apply_markdown: bool
    trail: bool | None
    """None for messages without an edit history; otherwise whether that shows empty topics."""


class MessageLoading(Struct, frozen=True):
    """A read of messages that has begun."""

    by_form: Mapping[MessageForm, Loading[MessageId, EncodedMessage]]


class MessageCache:
    """Encoded messages as of an event.

    A message's place and sender, and the reader's flags, are no part of a value, so renaming a
    topic, a user or a channel drops none. An edit history tells of moves: moved messages are
    dropped. Renaming a topic changes the histories of its messages without listing them: messages
    with a history are cached separately, and all dropped by that.
    """

    def __init__(self, hub: Hub, byte_limit: ByteLimit[EncodedMessage]) -> None:
        def new_cache(form: MessageForm) -> FeedCache[MessageId, EncodedMessage]:
            of_histories = () if form.trail is None else (MessageHistoriesTag,)
            return FeedCache(
                hub,
                byte_limit=byte_limit,
                realm_tags=(AnyMessageTag, *of_histories),
                value_tags=(MessageTag,),
                tags_of=lambda message_id, _message: (MessageTag(message_id),),
            )

        # A cache for each form: ids are found several times as fast as ids with forms.
        forms = starmap(MessageForm, product((True, False), (None, True, False)))
        self._by_form = {form: new_cache(form) for form in forms}

    def find(
        self, realm_id: RealmId, form: MessageForm, ids: Iterable[MessageId], as_of: EventNumber
    ) -> dict[MessageId, EncodedMessage]:
        """Return those of the messages that are cached as they were at an event."""
        return self._by_form[form].get_some_as_of(realm_id, ids, as_of)

    async def begin(
        self, realm_id: RealmId, forms: Iterable[MessageForm], as_of: EventNumber
    ) -> MessageLoading:
        """Begin to read messages from a snapshot; call it before the statements."""
        return MessageLoading(
            {form: await self._by_form[form].begin_as_of(realm_id, as_of) for form in forms}
        )

    def keep(
        self,
        loading: MessageLoading,
        form: MessageForm,
        messages: Mapping[MessageId, EncodedMessage],
    ) -> None:
        """Cache what was read, unless an event has changed a message meanwhile."""
        for message_id, message in messages.items():
            self._by_form[form].keep(loading.by_form[form], message_id, message)
