"""Parameters of fetching messages."""

from typing import Annotated

from pydantic import Field

from chatapi.narrow import NarrowParam
from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Params, with_example
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

    apply_markdown: bool = Field(
        default=True, description="Whether the content comes as HTML, or as it was written."
    )
    client_gravatar: bool = Field(
        default=True, description="Whether the client works out avatars by itself where it can."
    )
    allow_empty_topic_name: bool = Field(
        default=False, description="Whether the client understands a topic without a name."
    )


class ReadMessagesParams(ShowMessageParams):
    """GET /messages: around an anchor, or by their ids."""

    model_config = with_example(anchor="newest", num_before=20, num_after=0)

    anchor: Annotated[str | None, Field(max_length=MAX_ANCHOR_LENGTH, examples=["newest"])] = None
    """A message id, or `newest`, `oldest`, `first_unread` or `date`."""
    anchor_date: Annotated[
        str | None, Field(max_length=MAX_DATE_LENGTH, examples=["2026-01-31T12:00:00Z"])
    ] = None
    """With the anchor `date`: the first message since this moment, in ISO 8601."""
    use_first_unread_anchor: bool = Field(
        default=False, description="The old way to ask for the anchor `first_unread`."
    )
    include_anchor: bool = Field(
        default=True, description="Whether the message at the anchor itself is shown."
    )
    num_before: Count | None = None
    num_after: Count | None = None
    narrow: NarrowParam | None = None
    message_ids: Annotated[list[Id] | None, Field(max_length=_MAX_IDS)] = None
    """Instead of an anchor: these messages, as far as the reader may see them."""


class MatchParams(Params):
    """SPEC 4.11, GET /messages/matches_narrow."""

    model_config = with_example(msg_ids=[1], narrow=[{"operator": "channel", "operand": "general"}])

    msg_ids: Annotated[list[Id], Field(max_length=_MAX_IDS, examples=[[4, 8, 15]])]
    narrow: NarrowParam


class RenderParams(Params):
    """POST /messages/render."""

    content: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH, examples=["Hello **world**"])]
