"""Parameters of navigation views."""

from typing import Annotated

from pydantic import Field, StringConstraints

from chatapi.wire.params import Params

MAX_VIEWS = 200
"""Limit per user: POST /register returns all of them to each client."""
MAX_FRAGMENT_LENGTH = 500
_MAX_NAME_LENGTH = 60

ViewName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=_MAX_NAME_LENGTH),
    Field(examples=["Alerts"]),
]


class AddViewParams(Params):
    """POST /navigation_views."""

    fragment: Annotated[str, Field(min_length=1, max_length=MAX_FRAGMENT_LENGTH)]
    """The address of the view: the part of a client's URL after `#`."""
    is_pinned: bool
    """Whether clients show the view above the others."""
    name: ViewName | None = None
    """What clients call it; left out for a built-in view, which has its own name in every client.
    """


class EditViewParams(Params):
    """PATCH /navigation_views/{fragment}: what is not passed stays unchanged."""

    is_pinned: bool | None = None
    """Whether clients show the view above the others."""
    name: ViewName | None = None
    """Replaces what clients call it; not for built-in views."""
