"""Records of saved snippets."""

from dataclasses import dataclass
from datetime import datetime

from chatapi.core.ids import SavedSnippetId


@dataclass(frozen=True)
class SnippetRecord:
    """A text with a title."""

    id: SavedSnippetId
    title: str
    content: str
    created_at: datetime
