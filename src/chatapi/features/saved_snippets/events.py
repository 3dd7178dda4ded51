"""Events about saved snippets; only the clients of whoever saved them are told."""

from typing import ClassVar

from chatapi.events.event import Event
from chatapi.features.saved_snippets.payloads import SnippetPayload


class SnippetAdded(Event):
    """Somebody saved a text."""

    type = "saved_snippets"
    op: ClassVar = "add"
    changes_shared_state: ClassVar = False

    saved_snippet: SnippetPayload


class SnippetUpdated(Event):
    """A saved text has another title or content."""

    type = "saved_snippets"
    op: ClassVar = "update"
    changes_shared_state: ClassVar = False

    saved_snippet: SnippetPayload


class SnippetRemoved(Event):
    """A saved text is no longer kept."""

    type = "saved_snippets"
    op: ClassVar = "remove"
    changes_shared_state: ClassVar = False

    saved_snippet_id: int
