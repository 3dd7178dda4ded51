"""Payloads of saved snippets."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.personal.saved_snippets.records import SnippetRecord
from chatapi.wire.types import UnixSeconds


class SnippetPayload(TypedDict):
    """One snippet."""

    id: int
    title: str
    content: str
    date_created: UnixSeconds


class SnippetsPayload(TypedDict):
    """All snippets of a user, the oldest first."""

    saved_snippets: list[SnippetPayload]


class CreatedSnippetPayload(TypedDict):
    """The id of a new snippet."""

    saved_snippet_id: int


def snippet_payload(snippet: SnippetRecord) -> SnippetPayload:
    return {
        "id": snippet.id,
        "title": snippet.title,
        "content": snippet.content,
        "date_created": unix_seconds(snippet.created_at),
    }
