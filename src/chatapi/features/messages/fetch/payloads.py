"""Answers with messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.core.ids import MessageId
from chatapi.features.edits.payloads import EditPayload
from chatapi.features.messages.payloads import MessagePayload
from chatapi.wire.types import UnixSeconds


class TrailPayload(TypedDict):
    """What became of a message since it was sent."""

    last_edit_timestamp: NotRequired[UnixSeconds]
    """When its text was changed; not there if it never was."""
    last_moved_timestamp: NotRequired[UnixSeconds]
    """When it got its topic or channel; not there if it always had them."""
    edit_history: NotRequired[list[EditPayload]]
    """Its changes, the newest first, as far as the organization shows them."""


class HistoryMessagePayload(MessagePayload, TrailPayload):
    """One message with the reader's flags."""

    flags: list[str]


class MatchPayload(TypedDict):
    """Why a message is in a narrow: with `search`, what was found is marked."""

    match_content: str
    """The content as HTML with what was found in `<span class="highlight">`."""
    match_subject: str
    """The topic as HTML, in the same way."""


class FoundMessagePayload(HistoryMessagePayload, MatchPayload):
    """One message that was searched for."""


class MatchesPayload(TypedDict):
    """Those of the messages that are in the narrow, by id."""

    messages: dict[MessageId, MatchPayload]


class MessagesPayload(TypedDict):
    """Messages, the oldest first."""

    messages: list[HistoryMessagePayload] | list[FoundMessagePayload]
    anchor: NotRequired[int]
    """This and what follows are only there when messages were not asked for by their ids."""
    found_anchor: NotRequired[bool]
    found_oldest: NotRequired[bool]
    found_newest: NotRequired[bool]
    history_limited: NotRequired[bool]


class OneMessagePayload(TypedDict):
    """One message, and its content as it was written."""

    message: HistoryMessagePayload
    raw_content: str


class RenderedPayload(TypedDict):
    """A text as it would look in a message."""

    rendered: str
