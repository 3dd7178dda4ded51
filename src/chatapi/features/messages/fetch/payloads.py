"""Response payloads with messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.core.ids import MessageId
from chatapi.features.messages.edit.payloads import EditPayload
from chatapi.features.messages.payloads import MessagePayload
from chatapi.wire.types import UnixSeconds


class TrailPayload(TypedDict):
    """How a message changed since it was sent."""

    last_edit_timestamp: NotRequired[UnixSeconds]
    """When its text was last edited; absent if it never was."""
    last_moved_timestamp: NotRequired[UnixSeconds]
    """When it was last moved to another topic or channel; absent if it never was."""
    edit_history: NotRequired[list[EditPayload]]
    """Its edits, the newest first, as far as the organization shows them."""


class HistoryMessagePayload(MessagePayload, TrailPayload):
    """One message with the reader's flags."""

    flags: list[str]
    match_content: NotRequired[str]
    """Of a message that a search found: its content as HTML with the matches highlighted."""
    match_subject: NotRequired[str]
    """Of a message that a search found: its topic as HTML with the matches highlighted."""


class MatchPayload(TypedDict):
    """Why a message matches a narrow: with `search`, the matches are highlighted."""

    match_content: str
    """The content as HTML with the matches in `<span class="highlight">`."""
    match_subject: str
    """The topic as HTML, in the same way."""


class MatchesPayload(TypedDict):
    """The messages that match the narrow, by id."""

    messages: dict[MessageId, MatchPayload]


class MessagesPayload(TypedDict):
    """Messages, the oldest first."""

    messages: list[HistoryMessagePayload]
    anchor: NotRequired[int]
    """Absent when messages were requested by their ids; the following keys are false then."""
    found_anchor: bool
    found_oldest: bool
    found_newest: bool
    history_limited: bool


class OneMessagePayload(TypedDict):
    """One message, and its raw content as it was written."""

    message: HistoryMessagePayload
    raw_content: str


class RenderedPayload(TypedDict):
    """A text rendered as in a message."""

    rendered: str
