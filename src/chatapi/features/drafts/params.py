"""Parameters of drafts (SPEC 2.9, 4.17)."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Params, WireModel
from chatapi.wire.types import Id

MAX_DRAFTS = 500
"""Of one person: POST /register tells each of their clients all of them."""
_MAX_RECIPIENTS = 1_000
_LAST_SECOND = 253_402_300_799
"""Of the year 9999."""

_EXAMPLE = {"type": "", "to": [], "topic": "", "content": "What I wanted to say"}

DraftType = Literal["", "stream", "private"]


class DraftParam(WireModel):
    """A draft; what it is addressed to may be left open."""

    id: Id | None = None
    """Not looked at: clients may send a draft back as they got it."""
    type: DraftType
    to: Annotated[list[Id], Field(max_length=_MAX_RECIPIENTS)]
    """The one channel of a `stream` draft, the people of a `private` one."""
    topic: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
    """Of a `stream` draft; else it is not looked at."""
    content: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
    timestamp: Annotated[int | None, Field(ge=0, le=_LAST_SECOND)] = None
    """When it was edited last; now, unless the client knows better."""


class CreateDraftsParams(Params):
    """POST /drafts: all of them or none."""

    drafts: Annotated[list[DraftParam], Field(max_length=MAX_DRAFTS, examples=[[_EXAMPLE]])]


class EditDraftParams(Params):
    """PATCH /drafts/{draft_id}: the draft as it is now."""

    draft: Annotated[DraftParam, Field(examples=[_EXAMPLE])]
