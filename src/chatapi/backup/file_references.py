"""Which uploaded files the rows of a snapshot refer to, at any revision of the database."""

from collections.abc import AsyncIterator, Callable, Sequence

from chatapi.db.raw_tables import RawSnapshot
from chatapi.features.uploads import thumbnail_formats
from chatapi.features.users import avatar_keys
from chatapi.files.names import key_of, variant_key


def _original(path: str) -> list[str]:
    return [key_of(path)]


_PATHS: Sequence[tuple[str, str, Callable[[str], list[str]]]] = (
    ("attachment", "path_id", _original),
    ("realm_emoji", "path_id", _original),
    ("realm_emoji", "still_path_id", _original),
    ("account", "avatar_path", avatar_keys),
    ("realm", "icon_path", _original),
    ("realm", "logo_path", _original),
    ("realm", "night_logo_path", _original),
)
"""Table, column, and the storage keys that follow from its value."""


async def list_file_keys(snapshot: RawSnapshot) -> AsyncIterator[str]:
    """Yield the storage keys of all files, in an order that depends on the rows only."""
    for table, column, keys_of in _PATHS:
        async for paths in snapshot.list_values(table, column):
            for path in paths:
                for key in keys_of(path):
                    yield key
    async for images in snapshot.list_drawn_images():
        for path, is_animated in images:
            for thumbnail in thumbnail_formats():
                if is_animated or not thumbnail["animated"]:
                    yield variant_key(path, thumbnail["name"])
