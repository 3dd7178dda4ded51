"""Payloads of playgrounds."""

from typing_extensions import TypedDict


class PlaygroundPayload(TypedDict):
    """One playground."""

    id: int
    name: str
    pygments_language: str
    url_template: str


class CreatedPlaygroundPayload(TypedDict):
    """The id of a new playground."""

    id: int
