"""The event that messages were deleted."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from typing_extensions import override

from chatapi.core.ids import ChannelId, EventNumber, MessageId
from chatapi.core.names import name_key
from chatapi.events.cache_tags import (
    NO_CACHE_TAGS,
    CacheTag,
    ChannelMessagesTag,
    DeletedMessagesTag,
    MessageTag,
    TopicTag,
)
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.messages.delete.payloads import DeletedMessagesPayload, MessageType
from chatapi.wire.topics import show_topic


def supports_bulk_deletion(view: ClientView) -> bool:
    """Whether a client understands an event about several messages."""
    return "bulk_message_deletion" in view.profile.capabilities


class MessagesDeleted(Event):
    """Messages of one topic, or of one direct conversation, are gone.

    They were deleted, or moved to a place that the reader cannot see.

    Clients that did not declare the capability `bulk_message_deletion` at POST /register receive
    one event for each message.
    """

    type = "delete_message"
    cache_tags: ClassVar = NO_CACHE_TAGS
    shape: ClassVar = DeletedMessagesPayload

    message_ids: list[MessageId]
    message_type: MessageType
    stream_id: ChannelId | None = None
    topic: str = ""
    arrivals: Annotated[Mapping[MessageId, EventNumber | None] | None, ServerOnly()] = None
    """Where history is protected: the event that moved each message there, None if it was sent
    there.
    """
    ends_conversation: Annotated[bool, ServerOnly()] = False
    were_moved: Annotated[bool, ServerOnly()] = False
    """Whether the messages are gone for some readers only."""

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and bool(self._known_to(view))

    @override
    def variant(self, view: ClientView) -> Hashable:
        # Where history is not protected, all readers receive the same message ids.
        known = tuple(self._known_to(view)) if self.arrivals is not None else None
        return supports_bulk_deletion(view), view.profile.knows_empty_topic, known

    @override
    def bodies(self, view: ClientView) -> Sequence[dict[str, Any]]:
        place = self._place(view)
        known = self._known_to(view)
        if supports_bulk_deletion(view):
            return [{"message_ids": known, **place}]
        return [{"message_id": message_id, **place} for message_id in known]

    @override
    def count_for(self, view: ClientView) -> int:
        return 1 if supports_bulk_deletion(view) else len(self._known_to(view))

    @override
    def erased_messages(self) -> Sequence[MessageId]:
        return () if self.were_moved else self.message_ids

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        if self.message_ids:
            yield DeletedMessagesTag(max(self.message_ids))
        # Their texts are not kept in memory any longer than in the log.
        yield from map(MessageTag, self.erased_messages())
        if self.stream_id is None:
            return
        yield ChannelMessagesTag(self.stream_id)
        if self.ends_conversation:
            yield TopicTag(self.stream_id, name_key(self.topic))

    def _known_to(self, view: ClientView) -> list[MessageId]:
        """The messages that the reader could see: a deletion must not reveal others."""
        if self.stream_id is None or self.arrivals is None:
            return self.message_ids
        return view.membership.received_among(self.stream_id, self.arrivals)

    def _place(self, view: ClientView) -> dict[str, Any]:
        if self.stream_id is None:
            return {"message_type": self.message_type}
        topic = show_topic(self.topic, allow_empty=view.profile.knows_empty_topic)
        return {"message_type": self.message_type, "stream_id": self.stream_id, "topic": topic}
