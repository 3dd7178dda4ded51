"""Response payloads of edited messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.features.uploads import AttachmentPayload
from chatapi.wire.types import UnixSeconds


class EditedPayload(TypedDict):
    """Which files of the message are no longer linked."""

    detached_uploads: list[AttachmentPayload]
    """Files of yours that no message links any more since this edit; offer to delete them."""


class PreviousValues(TypedDict):
    """Who changed a message and when, and what was there before."""

    user_id: int | None
    """The user who made the change; for the first version the sender. Null if that is not known."""
    timestamp: UnixSeconds
    """When this version came to be, in Unix seconds."""
    prev_content: NotRequired[str]
    """The text before, in Markdown; present if the text changed."""
    prev_rendered_content: NotRequired[str]
    """The text before as HTML; present if the text changed."""
    prev_topic: NotRequired[str]
    """The topic before; present if the topic changed."""
    prev_stream: NotRequired[int]
    """The channel before; present if the channel changed."""


class EditPayload(PreviousValues):
    """One edit of a message, with the previous values."""

    topic: NotRequired[str]
    """The topic after the edit; present if the topic changed."""
    stream: NotRequired[int]
    """The channel after the edit; present if the channel changed."""


class SnapshotPayload(PreviousValues):
    """The message as it was sent, or after an edit, with the previous values."""

    topic: str
    """The topic of this version."""
    content: str
    """The text of this version, in Markdown."""
    rendered_content: str
    """The text of this version as HTML."""
    stream: NotRequired[int]
    """The channel of this version; present if the channel changed."""
    content_html_diff: NotRequired[str]
    """HTML that shows the old and the new text in one, with deletions and insertions marked.
    Present if the text changed."""


class MessageHistoryPayload(TypedDict):
    """All versions, the oldest first."""

    message_history: list[SnapshotPayload]
    """The versions of the message, the oldest first."""
