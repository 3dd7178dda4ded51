"""The event with which all processes forget when the service's own messages were sent."""

from typing import ClassVar

from chatapi.events.cache_tags import AnyMessageTag
from chatapi.events.event import Event


class NoticesBackdated(Event):
    """Messages that the service itself had posted got an earlier time."""

    type = "notices_backdated"
    is_internal = True
    cache_tags: ClassVar = frozenset({AnyMessageTag()})
