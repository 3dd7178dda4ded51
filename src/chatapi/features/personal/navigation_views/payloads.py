"""Payloads of navigation views."""

from typing_extensions import TypedDict


class ViewPayload(TypedDict):
    """One view."""

    fragment: str
    """The address of the view: the part of a client's URL after `#`."""
    is_pinned: bool
    """Whether clients show it above the others; false hides a built-in view."""
    name: str | None
    """What clients call it; null for a built-in view, which has its own name in every client."""


class ViewDetailsPayload(TypedDict):
    """The changeable properties of a view."""

    name: str | None
    """What clients call it; null for a built-in view."""
    is_pinned: bool
    """Whether clients show it above the others; false hides a built-in view."""


class ViewsPayload(TypedDict):
    """All views of a user."""

    navigation_views: list[ViewPayload]
    """Your views, in the order of their addresses."""
