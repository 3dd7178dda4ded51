"""Events about drafts; delivered only to the owner's clients."""

from typing import ClassVar

from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.event import Event
from chatapi.features.personal.drafts.payloads import DraftPayload


class DraftsAdded(Event):
    """The reader created drafts."""

    type = "drafts"
    op: ClassVar = "add"
    cache_tags: ClassVar = NO_CACHE_TAGS

    drafts: list[DraftPayload]
    """The new drafts."""


class DraftUpdated(Event):
    """The reader edited a draft."""

    type = "drafts"
    op: ClassVar = "update"
    cache_tags: ClassVar = NO_CACHE_TAGS

    draft: DraftPayload
    """The draft as it is now."""


class DraftRemoved(Event):
    """A draft of the reader was sent or deleted."""

    type = "drafts"
    op: ClassVar = "remove"
    cache_tags: ClassVar = NO_CACHE_TAGS

    draft_id: int
    """The draft that was sent or deleted."""
