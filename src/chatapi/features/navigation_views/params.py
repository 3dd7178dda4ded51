"""Parameters of navigation views."""

from typing import Annotated

from pydantic import Field, StringConstraints

from chatapi.wire.params import Params

MAX_VIEWS = 200
"""Of one person: POST /register tells each of their clients all of them."""
MAX_FRAGMENT_LENGTH = 500
_MAX_NAME_LENGTH = 60

ViewName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=_MAX_NAME_LENGTH),
    Field(examples=["Alerts"]),
]


class AddViewParams(Params):
    """POST /navigation_views."""

    fragment: Annotated[
        str, Field(min_length=1, max_length=MAX_FRAGMENT_LENGTH, examples=["narrow/is/alerted"])
    ]
    """Where it is: the part of a client's address behind `#`."""
    is_pinned: Annotated[bool, Field(examples=[True])]
    name: ViewName | None = None
    """None for one that has a name of its own in every client."""


class EditViewParams(Params):
    """PATCH /navigation_views/{fragment}: what is not passed stays as it is."""

    is_pinned: bool | None = None
    name: ViewName | None = None
