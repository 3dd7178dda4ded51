"""Payloads of saved snippets."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.personal.saved_snippets.records import SnippetRecord
from chatapi.wire.types import UnixSeconds


class SnippetPayload(TypedDict):
    """One snippet."""

    id: int
    """Names the snippet in `PATCH` and `DELETE /saved_snippets/{saved_snippet_id}`."""
    title: str
    """What you call it."""
    content: str
    """The text to use again, in Markdown."""
    date_created: UnixSeconds
    """When you saved it, in Unix seconds."""


class SnippetsPayload(TypedDict):
    """All snippets of a user, the oldest first."""

    saved_snippets: list[SnippetPayload]
    """Your snippets, the oldest first."""


class CreatedSnippetPayload(TypedDict):
    """The id of a new snippet."""

    saved_snippet_id: int
    """The id of the new snippet."""


def snippet_payload(snippet: SnippetRecord) -> SnippetPayload:
    return {
        "id": snippet.id,
        "title": snippet.title,
        "content": snippet.content,
        "date_created": unix_seconds(snippet.created_at),
    }
