"""Narrows: what a client wants to see of the messages it may see."""

from chatapi.narrow.compile import Narrow, compile_narrow
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.terms import NarrowParam, Term, read_terms

__all__ = ["BadNarrowError", "Narrow", "NarrowParam", "Term", "compile_narrow", "read_terms"]
