"""Events about saved snippets; delivered only to the owner's clients."""

from typing import ClassVar

from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.event import Event
from chatapi.features.personal.saved_snippets.payloads import SnippetPayload


class SnippetAdded(Event):
    """The reader saved a snippet."""

    type = "saved_snippets"
    op: ClassVar = "add"
    cache_tags: ClassVar = NO_CACHE_TAGS

    saved_snippet: SnippetPayload
    """The new snippet."""


class SnippetUpdated(Event):
    """The title or content of a snippet changed."""

    type = "saved_snippets"
    op: ClassVar = "update"
    cache_tags: ClassVar = NO_CACHE_TAGS

    saved_snippet: SnippetPayload
    """The snippet as it is now."""


class SnippetRemoved(Event):
    """A snippet was deleted."""

    type = "saved_snippets"
    op: ClassVar = "remove"
    cache_tags: ClassVar = NO_CACHE_TAGS

    saved_snippet_id: int
    """The snippet that was deleted."""
