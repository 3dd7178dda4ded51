"""Navigation views as clients see them."""

from typing_extensions import TypedDict


class ViewPayload(TypedDict):
    """One view."""

    fragment: str
    is_pinned: bool
    name: str | None


class ViewDetailsPayload(TypedDict):
    """What can change about a view."""

    name: str | None
    is_pinned: bool


class ViewsPayload(TypedDict):
    """All views of a person."""

    navigation_views: list[ViewPayload]
