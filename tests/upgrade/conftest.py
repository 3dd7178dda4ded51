"""Databases without tables, on either server."""

from tests.backup.conftest import make_empty

__all__ = ["make_empty"]
