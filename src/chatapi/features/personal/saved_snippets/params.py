"""Parameters of saved snippets."""

from typing import Annotated

from pydantic import Field, StringConstraints

from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Params

MAX_SNIPPETS = 500
"""Limit per user: POST /register returns all of them to each client."""
_MAX_TITLE_LENGTH = 60

Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_MAX_TITLE_LENGTH)
]
Content = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_MESSAGE_LENGTH),
    Field(examples=["Hello, and **welcome**!"]),
]


class CreateSnippetParams(Params):
    """POST /saved_snippets."""

    title: Title
    """What you call it, to find it again; need not be unique."""
    content: Content
    """The text to use again, in Markdown."""


class EditSnippetParams(Params):
    """PATCH /saved_snippets/{saved_snippet_id}: what is not passed stays unchanged."""

    title: Title | None = None
    """Replaces what you call it."""
    content: Content | None = None
    """Replaces the text, in Markdown."""
