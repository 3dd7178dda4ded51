"""Payloads of navigation views."""

from typing_extensions import TypedDict


class ViewPayload(TypedDict):
    """One view."""

    fragment: str
    is_pinned: bool
    name: str | None


class ViewDetailsPayload(TypedDict):
    """The changeable properties of a view."""

    name: str | None
    is_pinned: bool


class ViewsPayload(TypedDict):
    """All views of a user."""

    navigation_views: list[ViewPayload]
