"""Events about typing: only for those who listen at the moment."""

from collections.abc import Hashable
from typing import Any, ClassVar, Literal, NotRequired

from typing_extensions import TypedDict, override

from chatapi.core.ids import ChannelId, MessageId, UserId
from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.wire.topics import show_topic

CHANNEL_TYPING = "stream_typing_notifications"
"""The capability of clients that show who types in channels."""


class TyperPayload(TypedDict):
    """Somebody who types, or for whom it is."""

    user_id: int
    email: str


class Typing(Event):
    """What both events have in common: `recipients`, or `stream_id` and `topic`."""

    is_logged: ClassVar[bool] = False

    message_type: Literal["direct", "stream"]
    sender: TyperPayload
    recipients: tuple[TyperPayload, ...] | None = None
    stream_id: ChannelId | None = None
    topic: str | None = None

    @override
    def is_for(self, view: ClientView) -> bool:
        if not (super().is_for(view) and view.receives_typing):
            return False
        if not view.sees_user(self.sender["user_id"]):
            return False
        return self.message_type == "direct" or CHANNEL_TYPING in view.profile.capabilities

    @override
    def variant(self, view: ClientView) -> Hashable:
        return view.profile.knows_empty_topic

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body = self.model_dump(mode="json", exclude_none=True)
        if self.topic is not None:
            knows_empty = view.profile.knows_empty_topic
            body["topic"] = show_topic(self.topic, allow_empty=knows_empty)
        return body


class EditedMessagePlace(TypedDict):
    """Where a message is that somebody edits."""

    type: Literal["channel", "direct"]
    channel_id: NotRequired[int]
    topic: NotRequired[str]
    user_ids: NotRequired[list[int]]
    """Everybody who takes part in a direct message."""


class EditTyping(Event):
    """What both events about edits have in common."""

    is_logged: ClassVar[bool] = False

    sender_id: UserId
    message_id: MessageId
    recipient: EditedMessagePlace

    @override
    def is_for(self, view: ClientView) -> bool:
        return super().is_for(view) and view.receives_typing and view.sees_user(self.sender_id)

    @override
    def variant(self, view: ClientView) -> Hashable:
        return view.profile.knows_empty_topic

    @override
    def body(self, view: ClientView) -> dict[str, Any]:
        body = super().body(view)
        topic = self.recipient.get("topic")
        if topic is not None:
            knows_empty = view.profile.knows_empty_topic
            body["recipient"]["topic"] = show_topic(topic, allow_empty=knows_empty)
        return body


class EditTypingStarted(EditTyping):
    """Somebody is editing a message."""

    type = "typing_edit_message"
    op: ClassVar = "start"


class EditTypingStopped(EditTyping):
    """Somebody is no longer editing a message."""

    type = "typing_edit_message"
    op: ClassVar = "stop"


class TypingStarted(Typing):
    """Somebody is typing a message."""

    type = "typing"
    op: ClassVar = "start"


class TypingStopped(Typing):
    """Somebody is no longer typing a message."""

    type = "typing"
    op: ClassVar = "stop"
