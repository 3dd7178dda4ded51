"""Narrows: filters of the messages that a reader may see."""

from chatapi.narrow.compile import Narrow, compile_narrow
from chatapi.narrow.cost import is_read_in_order
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.live import ResolvedTerm, is_in_narrow, resolve_narrow
from chatapi.narrow.operator import along_channel, along_conversation
from chatapi.narrow.search_text import SearchText
from chatapi.narrow.terms import NarrowParam, Term, read_terms

__all__ = [
    "BadNarrowError",
    "Narrow",
    "NarrowParam",
    "ResolvedTerm",
    "SearchText",
    "Term",
    "along_channel",
    "along_conversation",
    "compile_narrow",
    "is_in_narrow",
    "is_read_in_order",
    "read_terms",
    "resolve_narrow",
]
