"""Events about navigation views; only the clients of whoever has them are told."""

from typing import ClassVar

from chatapi.events.event import Event
from chatapi.features.navigation_views.payloads import ViewDetailsPayload, ViewPayload


class ViewAdded(Event):
    """Somebody added a view."""

    type = "navigation_view"
    op: ClassVar = "add"
    changes_shared_state: ClassVar = False

    navigation_view: ViewPayload


class ViewUpdated(Event):
    """A view has another name, or was pinned or unpinned."""

    type = "navigation_view"
    op: ClassVar = "update"
    changes_shared_state: ClassVar = False

    fragment: str
    data: ViewDetailsPayload
    """All of it, as it is now."""


class ViewRemoved(Event):
    """Somebody removed a view."""

    type = "navigation_view"
    op: ClassVar = "remove"
    changes_shared_state: ClassVar = False

    fragment: str
