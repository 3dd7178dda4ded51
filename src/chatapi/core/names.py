"""Comparison of names, those of accounts too, and the display name of the empty topic."""

import hashlib
from unicodedata import normalize

EMPTY_TOPIC_DISPLAY_NAME = "general chat"
"""POST /register returns it as `realm_empty_topic_display_name`."""

_MAX_KEY_LENGTH = 100
"""Limit for keys of names that are not longer themselves; every key column can hold it."""
_KEPT_OF_LONGER = 60


def name_key(name: str) -> str:
    """The key that names are compared by; ignores case and how accents are encoded.

    A key is never longer than the name, or than 100 characters: the few names that are longer in
    Unicode's normal form are distinguished by a digest.
    """
    name = name.strip()
    if name.isascii():
        return name.lower()
    key = normalize("NFC", normalize("NFC", name).lower())
    if len(key) <= max(_MAX_KEY_LENGTH, len(name)):
        return key
    return key[:_KEPT_OF_LONGER] + hashlib.sha256(key.encode()).hexdigest()[:32]
