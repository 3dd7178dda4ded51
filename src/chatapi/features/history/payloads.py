"""Answers with messages."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.features.messages.payloads import MessagePayload


class HistoryMessagePayload(MessagePayload):
    """One message with the reader's flags."""

    flags: list[str]


class MessagesPayload(TypedDict):
    """Messages, the oldest first."""

    messages: list[HistoryMessagePayload]
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
