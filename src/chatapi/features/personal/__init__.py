"""What users keep for themselves: drafts, snippets, views and alert words."""

from chatapi.features.personal.drafts.service import remove_all_drafts

__all__ = [
    "remove_all_drafts",
]
