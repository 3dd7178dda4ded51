"""Parameters of playgrounds."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params

MAX_PLAYGROUNDS = 100


class AddPlaygroundParams(Params):
    """POST /realm/playgrounds."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    """What clients call it."""
    pygments_language: Annotated[str, Field(min_length=1, max_length=40)]
    """The language of the code blocks: a name that Pygments knows, or one of your own."""
    url_template: Annotated[str, Field(min_length=1, max_length=1_000)]
    """An RFC 6570 template with the variable `code`."""
