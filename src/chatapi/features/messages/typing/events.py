"""Ephemeral events about typing: delivered only to clients that are connected."""

from collections.abc import Hashable
from typing import Any, ClassVar, Literal, NotRequired

from typing_extensions import TypedDict, override

from chatapi.core.ids import ChannelId, MessageId, UserId
from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.wire.topics import show_topic

CHANNEL_TYPING = "stream_typing_notifications"
"""The capability of clients that show typing notifications in channels."""


class TyperPayload(TypedDict):
    """The user who is typing, or a recipient."""

    user_id: int
    """Who it is; the sender may be the reader."""
    email: str
    """Their API email."""


class Typing(Event):
    """Common fields of both events: `recipients`, or `stream_id` and `topic`."""

    is_logged: ClassVar[bool] = False

    message_type: Literal["direct", "stream"]
    """Whether it is a direct message or one to a channel (`stream`)."""
    sender: TyperPayload
    """The user who is typing."""
    recipients: tuple[TyperPayload, ...] | None = None
    """Of a direct message: all participants, the sender included. Absent in channels."""
    stream_id: ChannelId | None = None
    """The channel; absent for direct messages."""
    topic: str | None = None
    """The topic; absent for direct messages."""

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
    """Where the edited message is."""

    type: Literal["channel", "direct"]
    """Whether the message is in a channel or a direct message."""
    channel_id: NotRequired[int]
    """The channel of the message; absent for direct messages."""
    topic: NotRequired[str]
    """The topic of the message; absent for direct messages."""
    user_ids: NotRequired[list[int]]
    """All participants of a direct message; absent in channels."""


class EditTyping(Event):
    """Common fields of both events about editing."""

    is_logged: ClassVar[bool] = False

    sender_id: UserId
    """The user who is editing."""
    message_id: MessageId
    """The message that is being edited."""
    recipient: EditedMessagePlace
    """Where the message is."""

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
    """A user is editing a message."""

    type = "typing_edit_message"
    op: ClassVar = "start"


class EditTypingStopped(EditTyping):
    """A user is no longer editing a message."""

    type = "typing_edit_message"
    op: ClassVar = "stop"


class TypingStarted(Typing):
    """A user is typing a message."""

    type = "typing"
    op: ClassVar = "start"


class TypingStopped(Typing):
    """A user is no longer typing a message."""

    type = "typing"
    op: ClassVar = "stop"
