"""Answers about changed messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.features.uploads.payloads import AttachmentPayload
from chatapi.wire.types import UnixSeconds


class EditedPayload(TypedDict):
    """What became of the files that the message linked before."""

    detached_uploads: list[AttachmentPayload]
    """Files of the sender that no message links any more."""


class EditPayload(TypedDict):
    """One change of a message, with what was there before it."""

    user_id: int | None
    timestamp: UnixSeconds
    prev_content: NotRequired[str]
    prev_rendered_content: NotRequired[str]
    prev_topic: NotRequired[str]
    topic: NotRequired[str]
    prev_stream: NotRequired[int]
    stream: NotRequired[int]


class SnapshotPayload(TypedDict):
    """The message as it was sent, or after a change and with what was there before."""

    user_id: int | None
    timestamp: UnixSeconds
    topic: str
    content: str
    rendered_content: str
    stream: NotRequired[int]
    prev_topic: NotRequired[str]
    prev_stream: NotRequired[int]
    prev_content: NotRequired[str]
    prev_rendered_content: NotRequired[str]
    content_html_diff: NotRequired[str]
    """The old and the new text in one, with what went and what came marked."""


class MessageHistoryPayload(TypedDict):
    """All there was, the oldest first."""

    message_history: list[SnapshotPayload]
