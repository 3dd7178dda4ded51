"""Events about navigation views; delivered only to the owner's clients."""

from typing import ClassVar

from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.event import Event
from chatapi.features.personal.navigation_views.payloads import ViewDetailsPayload, ViewPayload


class ViewAdded(Event):
    """The reader added a view."""

    type = "navigation_view"
    op: ClassVar = "add"
    cache_tags: ClassVar = NO_CACHE_TAGS

    navigation_view: ViewPayload
    """The new view."""


class ViewUpdated(Event):
    """A view was renamed, pinned or unpinned."""

    type = "navigation_view"
    op: ClassVar = "update"
    cache_tags: ClassVar = NO_CACHE_TAGS

    fragment: str
    """The address of the view that changed."""
    data: ViewDetailsPayload
    """The complete new state of the view."""


class ViewRemoved(Event):
    """The reader removed a view."""

    type = "navigation_view"
    op: ClassVar = "remove"
    cache_tags: ClassVar = NO_CACHE_TAGS

    fragment: str
    """The address of the view that was removed."""
