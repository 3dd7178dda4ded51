"""Records of saved snippets."""

from datetime import datetime

from msgspec import Struct

from chatapi.core.ids import SavedSnippetId


class SnippetRecord(Struct, frozen=True):
    """A text with a title."""

    id: SavedSnippetId
    title: str
    content: str
    created_at: datetime
