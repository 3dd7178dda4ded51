"""Payloads of playgrounds."""

from typing_extensions import TypedDict


class PlaygroundPayload(TypedDict):
    """One playground."""

    id: int
    """Names the playground in `DELETE /realm/playgrounds/{playground_id}`."""
    name: str
    """What clients call it."""
    pygments_language: str
    """The language of the code blocks that can be opened there."""
    url_template: str
    """Where to open code: an RFC 6570 template with the variable `code`."""


class CreatedPlaygroundPayload(TypedDict):
    """The id of a new playground."""

    id: int
    """The id of the new playground."""
