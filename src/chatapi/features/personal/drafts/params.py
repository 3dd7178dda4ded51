"""Parameters of drafts (SPEC 2.9, 4.17)."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Params, WireModel
from chatapi.wire.types import Id

MAX_DRAFTS = 500
"""Limit for one user: POST /register returns all of them to each client."""
_MAX_RECIPIENTS = 1_000
_LAST_SECOND = 253_402_300_799
"""The last second of the year 9999."""

DraftType = Literal["", "stream", "private"]


class DraftParam(WireModel):
    """A draft; it may have no recipient yet."""

    id: Id | None = None
    """Ignored: clients may send a draft back as they received it."""
    type: DraftType
    """Whether it is for a channel (`stream`), for users (`private`), or has no recipient yet
    (empty)."""
    to: Annotated[list[Id], Field(max_length=_MAX_RECIPIENTS)]
    """The channel of a `stream` draft, as a list of one id; the recipients of a `private` one; else
    empty."""
    topic: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
    """The topic of a `stream` draft; ignored for other drafts."""
    content: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
    """The text so far, in Markdown; may be empty."""
    timestamp: Annotated[int | None, Field(ge=0, le=_LAST_SECOND)] = None
    """When it was last edited, in Unix seconds; now if left out."""


class CreateDraftsParams(Params):
    """POST /drafts: all of them or none."""

    drafts: Annotated[list[DraftParam], Field(max_length=MAX_DRAFTS)]
    """The drafts to store; all of them or, if one is invalid, none."""


class EditDraftParams(Params):
    """PATCH /drafts/{draft_id}: the complete new draft."""

    draft: DraftParam
    """The complete new draft, which replaces the old one."""
