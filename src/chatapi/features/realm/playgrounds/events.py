"""Events about playgrounds."""

from chatapi.events.event import Event
from chatapi.features.realm.playgrounds.payloads import PlaygroundPayload


class PlaygroundsChanged(Event):
    """A playground was added or removed."""

    type = "realm_playgrounds"

    realm_playgrounds: list[PlaygroundPayload]
    """All playgrounds of the organization."""
