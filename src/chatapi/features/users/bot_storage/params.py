"""Parameters of bot storage."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from chatapi.wire.params import Params

MAX_KEY_LENGTH = 255
MAX_STORED_CHARACTERS = 10_000_000
"""Limit of one user, keys and values together."""
MAX_ENTRIES = 20_000
"""Limit of one user."""
_MAX_ENTRIES_AT_ONCE = 1_000
_MAX_KEYS_AT_ONCE = 100
"""Keys to read are part of the request's address, whose length is limited."""

Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY_LENGTH)]
Value = Annotated[str, Field(max_length=MAX_STORED_CHARACTERS)]
Keys = Annotated[list[Key], Field(max_length=_MAX_KEYS_AT_ONCE, examples=[["game"]])]


def _refuse_many(entries: object) -> object:
    """Count entries before they are validated, one by one, each with an error of its own."""
    if isinstance(entries, dict) and len(entries) > _MAX_ENTRIES_AT_ONCE:
        raise ValueError(f"has too many entries (limit: {_MAX_ENTRIES_AT_ONCE})")
    return entries


class PutStorageParams(Params):
    """PUT /bot_storage: entries to add or to replace; the others stay."""

    storage: Annotated[
        dict[Key, Value],
        Field(max_length=_MAX_ENTRIES_AT_ONCE),
        BeforeValidator(_refuse_many),
    ]
    """Texts by key, at most 1,000; existing keys are replaced."""


class GetStorageParams(Params):
    """GET /bot_storage."""

    keys: Keys | None = None
    """The keys to read, which must exist; all entries if left out."""


class DeleteStorageParams(Params):
    """DELETE /bot_storage."""

    keys: Keys | None = None
    """The keys to delete, which must exist; all entries if left out."""
