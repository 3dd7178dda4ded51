"""Events about changed flags of the reader's messages."""

from collections.abc import Hashable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from chatapi.core.ids import ChannelId, EventNumber, MessageId
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.read_state.payloads import MessageDetailsPayload
from chatapi.read_state.repository import SpanRepository
from chatapi.read_state.spans import Span
from chatapi.wire.topics import show_topic


class FlagAdded(Event):
    """Messages were read, starred or collapsed."""

    type = "update_message_flags"
    cache_tags: ClassVar = NO_CACHE_TAGS
    op: ClassVar = "add"

    operation: Literal["add"] = "add"
    """The same as `op`, under its older name."""
    flag: str
    """Which flag the messages have now: `read`, `starred` or `collapsed`."""
    messages: list[MessageId]
    """The message ids; at most the newest 50,000, and none when it is all messages.

    Some of them may have had the flag before.
    """
    all: bool = False
    """Whether all messages of the reader got the flag; `messages` is empty then."""
    span: Annotated[Span | None, ServerOnly()] = None
    """Further messages, which are looked up only when a client receives the event."""
    channel_id: Annotated[ChannelId | None, ServerOnly()] = None
    arrivals: Annotated[Mapping[MessageId, EventNumber | None] | None, ServerOnly()] = None
    """For several readers, where the history of the channel they left is protected: the event that
    moved each message there, None if it was sent there.
    """

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and (self.arrivals is None or bool(self._received(view)))

    @override
    def variant(self, view: ClientView) -> Hashable:
        return None if self.arrivals is None else tuple(self._received(view))

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body = super().body(view)
        return body if self.arrivals is None else {**body, "messages": self._received(view)}

    def _received(self, view: ClientView) -> list[MessageId]:
        """The messages that the reader could see: a read flag must not reveal others."""
        if self.channel_id is None or self.arrivals is None:
            return self.messages
        return view.membership.received_among(self.channel_id, self.arrivals)

    @property
    @override
    def is_complete(self) -> bool:
        return self.span is None

    @override
    async def complete(self, db: DatabaseSession) -> "FlagAdded":
        if self.span is None:
            return self
        listed = await SpanRepository(db).list_newest(self.span)
        return self.model_copy(update={"messages": sorted({*self.messages, *listed}), "span": None})


class FlagRemoved(Event):
    """Messages became unread, or lost their star."""

    type = "update_message_flags"
    cache_tags: ClassVar = NO_CACHE_TAGS
    op: ClassVar = "remove"

    operation: Literal["remove"] = "remove"
    """The same as `op`, under its older name."""
    flag: str
    """Which flag the messages lost: `read`, `starred` or `collapsed`."""
    messages: list[MessageId]
    """Which messages lost the flag."""
    all: bool = False
    """Always false: a flag is never removed from all messages at once."""
    message_details: dict[MessageId, MessageDetailsPayload] = Field(default_factory=dict)
    """With the flag `read`: the conversation of each message, by message id, so that clients can
    count it. Empty with other flags."""

    @override
    def variant(self, view: ClientView) -> Hashable:
        return view.profile.knows_empty_topic

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        allow_empty = view.profile.knows_empty_topic
        body = super().body(view)
        for details in body["message_details"].values():
            if "topic" in details:
                details["topic"] = show_topic(details["topic"], allow_empty=allow_empty)
        return body
