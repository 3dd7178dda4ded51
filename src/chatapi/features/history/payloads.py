"""Answers with messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.core.ids import MessageId
from chatapi.features.messages.payloads import MessagePayload


class HistoryMessagePayload(MessagePayload):
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
