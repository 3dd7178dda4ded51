"""Parameters of fetching messages."""

from typing import Annotated

from pydantic import Field

from chatapi.narrow import NarrowParam
from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_MESSAGES = 5_000
"""The most messages that one request reads or changes."""
_MAX_IDS = 1_000
"""Ids are part of the URL, of which servers accept no more than 64 KiB."""
MAX_ANCHOR_LENGTH = 30
MAX_DATE_LENGTH = 50

Count = Annotated[int, Field(ge=0, le=MAX_MESSAGES)]


class ShowMessageParams(Params):
    """GET /messages/{message_id}."""

    apply_markdown: bool = True
    """Whether the content comes as HTML; otherwise as it was written, in Markdown."""
    client_gravatar: bool = True
    """Whether the client computes the addresses of Gravatar pictures itself; `avatar_url` is null
    for those."""
    allow_empty_topic_name: bool = False
    """Whether your client understands a topic with an empty name; otherwise it is called `general
    chat`."""


class ReadMessagesParams(ShowMessageParams):
    """GET /messages: around an anchor, or by their ids."""

    anchor: Annotated[str | None, Field(max_length=MAX_ANCHOR_LENGTH)] = None
    """Around which message to read: its id, or `newest`, `oldest`, `first_unread` or `date`.
    Required unless `message_ids` is passed."""
    anchor_date: Annotated[
        str | None, Field(max_length=MAX_DATE_LENGTH, examples=["2026-01-31T12:00:00Z"])
    ] = None
    """With the anchor `date`: the first message since this moment, in ISO 8601."""
    use_first_unread_anchor: bool = False
    """The older way to ask for the anchor `first_unread`."""
    include_anchor: bool = True
    """Whether the message at the anchor itself is returned."""
    num_before: Count | None = None
    """How many messages before the anchor to return; together with `num_after` at most 5,000."""
    num_after: Count | None = None
    """How many messages after the anchor to return; together with `num_before` at most 5,000."""
    narrow: NarrowParam | None = None
    message_ids: Annotated[list[Id] | None, Field(max_length=_MAX_IDS)] = None
    """Instead of an anchor: return these messages, as far as you may see them."""


class MatchParams(Params):
    """SPEC 4.11, GET /messages/matches_narrow."""

    msg_ids: Annotated[list[Id], Field(max_length=_MAX_IDS)]
    """The messages to check; those that you may not see do not match."""
    narrow: NarrowParam


class RenderParams(Params):
    """POST /messages/render."""

    content: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
    """The text to render, in Markdown."""
