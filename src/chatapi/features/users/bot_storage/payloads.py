"""Payloads of bot storage."""

from typing_extensions import TypedDict


class StoragePayload(TypedDict):
    """Stored texts by their keys."""

    storage: dict[str, str]
    """The stored texts by key."""
