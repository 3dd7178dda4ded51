"""Response payloads of edited messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.features.uploads import AttachmentPayload
from chatapi.wire.types import UnixSeconds


class EditedPayload(TypedDict):
    """Which files of the message are no longer linked."""

    detached_uploads: list[AttachmentPayload]
    """Files of the sender that no message links any more."""


class EditPayload(TypedDict):
    """One edit of a message, with the previous values."""

    user_id: int | None
    timestamp: UnixSeconds
    prev_content: NotRequired[str]
    prev_rendered_content: NotRequired[str]
    prev_topic: NotRequired[str]
    topic: NotRequired[str]
    prev_stream: NotRequired[int]
    stream: NotRequired[int]


class SnapshotPayload(TypedDict):
    """The message as it was sent, or after an edit, with the previous values."""

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
    """The old and the new text in one, with deletions and insertions marked."""


class MessageHistoryPayload(TypedDict):
    """All versions, the oldest first."""

    message_history: list[SnapshotPayload]
