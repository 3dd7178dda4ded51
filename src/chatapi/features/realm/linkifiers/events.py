"""Events about linkifiers."""

from typing import ClassVar

from typing_extensions import override

from chatapi.events.cache_tags import SHARED_STATE, LinkifiersTag
from chatapi.events.client import ClientView
from chatapi.events.event import Event
from chatapi.features.realm.linkifiers.payloads import FilterPayload, LinkifierPayload


class LinkifiersChanged(Event):
    """A linkifier was added, changed, moved or removed."""

    type = "realm_linkifiers"
    cache_tags: ClassVar = SHARED_STATE | {LinkifiersTag()}

    realm_linkifiers: list[LinkifierPayload]
    """All linkifiers, in the order in which they are applied."""


class FiltersChanged(Event):
    """The same in the older format, for clients that do not know `realm_linkifiers` events."""

    type = "realm_filters"

    realm_filters: list[FilterPayload]
    """All linkifiers that the older format can express, each as pattern, URL with `%(name)s`, and
    id."""

    @override
    def is_for(self, view: ClientView) -> bool:
        wanted = view.profile.event_types
        knows_better = wanted is not None and LinkifiersChanged.type in wanted
        return super().is_for(view) and not knows_better
