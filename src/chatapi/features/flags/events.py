"""The events that flags of one's messages changed."""

from collections.abc import Hashable
from typing import Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from chatapi.core.ids import MessageId
from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.features.flags.payloads import MessageDetailsPayload
from chatapi.wire.topics import show_topic


class FlagAdded(Event):
    """Messages were read, starred or collapsed."""

    type = "update_message_flags"
    op: ClassVar = "add"

    operation: Literal["add"] = "add"
    """The same as `op`, by its old name."""
    flag: str
    messages: list[MessageId]
    """Which messages; at most the newest 50,000, and none when it is all of them."""
    all: bool = False


class FlagRemoved(Event):
    """Messages became unread, or lost their star."""

    type = "update_message_flags"
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
