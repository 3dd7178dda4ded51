"""The events that flags of one's messages changed."""

from collections.abc import Hashable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from chatapi.core.ids import MessageId
from chatapi.db.session import DatabaseSession
from chatapi.events.client import ClientView
from chatapi.events.event import Event, ServerOnly
from chatapi.features.flags.payloads import MessageDetailsPayload
from chatapi.features.flags.repository import SpanRepository
from chatapi.features.flags.spans import Span
from chatapi.wire.topics import show_topic


class FlagAdded(Event):
    """Messages were read, starred or collapsed."""

    type = "update_message_flags"
    changes_shared_state: ClassVar = False
    op: ClassVar = "add"

    operation: Literal["add"] = "add"
    """The same as `op`, by its old name."""
    flag: str
    messages: list[MessageId]
    """Which messages; at most the newest 50,000, and none when it is all of them.

    Some of them may have had the flag before.
    """
    all: bool = False
    span: Annotated[Span | None, ServerOnly()] = None
    """Further messages, which are looked up only when a client asks for the event."""

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
    changes_shared_state: ClassVar = False
    op: ClassVar = "remove"

    operation: Literal["remove"] = "remove"
    flag: str
    messages: list[MessageId]
    all: bool = False
    message_details: dict[MessageId, MessageDetailsPayload] = Field(default_factory=dict)
    """Only for `read`."""

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
