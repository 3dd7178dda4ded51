"""Response payloads with messages."""

from typing import Annotated, NotRequired

import orjson
from typing_extensions import TypedDict

from chatapi.core.ids import MessageId
from chatapi.features.messages.edit.payloads import EditPayload
from chatapi.features.messages.payloads import MessageContentPayload, MessagePayload
from chatapi.wire.encoded import EncodedAs
from chatapi.wire.types import UnixSeconds


class TrailPayload(TypedDict):
    """How a message changed since it was sent."""

    last_edit_timestamp: NotRequired[UnixSeconds]
    """When its text was last edited, in Unix seconds; absent if it never was."""
    last_moved_timestamp: NotRequired[UnixSeconds]
    """When it was last moved to another topic or channel, in Unix seconds; absent if it never was.
    """
    edit_history: NotRequired[list[EditPayload]]
    """Its edits, the newest first, as far as the organization shows them."""


class HistoryContentPayload(MessageContentPayload, TrailPayload):
    """What a message says, and how that changed."""


class HistoryMessagePayload(MessagePayload, TrailPayload):
    """One message with the reader's flags."""

    flags: list[str]
    """Your flags of the message: `read`, `starred`, `collapsed`, `mentioned`, `has_alert_word` and
    the like."""
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
    """The messages that match, by id."""


EncodedHistoryMessage = Annotated[orjson.Fragment, EncodedAs(HistoryMessagePayload)]
"""A message that is joined from encoded parts."""


class MessagesPayload(TypedDict):
    """Messages, the oldest first."""

    messages: list[EncodedHistoryMessage]
    """The messages, the oldest first."""
    anchor: NotRequired[int]
    """The id of the message at the anchor; 10000000000000000 for `newest`, and for `first_unread`
    if nothing is unread. Absent when messages were requested by their ids."""
    found_anchor: bool
    """Whether the message at the anchor itself is among them."""
    found_oldest: bool
    """Whether there are no older messages to read."""
    found_newest: bool
    """Whether there are no newer messages to read."""
    history_limited: bool
    """Whether older messages exist but are not shown because of a plan. Always false here."""


class OneMessagePayload(TypedDict):
    """One message, and its raw content as it was written."""

    message: EncodedHistoryMessage
    """The message with your flags."""
    raw_content: str
    """Its text as it was written, in Markdown."""


class RenderedPayload(TypedDict):
    """A text rendered as in a message."""

    rendered: str
    """The HTML of the text."""
