"""How names, those of accounts too, are compared, and a name for the topic without one."""

import hashlib
from unicodedata import normalize

EMPTY_TOPIC_DISPLAY_NAME = "general chat"
"""What POST /register announces as `realm_empty_topic_display_name`."""

_MAX_KEY_LENGTH = 100
"""Of a name that is not longer itself: that much every column for keys can hold."""
_KEPT_OF_LONGER = 60


def name_key(name: str) -> str:
    """What names are compared by: they differ in more than case and in how accents are encoded.

    A key is never longer than the name, or than 100 characters: the few names that are longer in
    Unicode's normal form are told apart by a digest.
    """
    name = name.strip()
    if name.isascii():
        return name.lower()
    key = normalize("NFC", normalize("NFC", name).lower())
    if len(key) <= max(_MAX_KEY_LENGTH, len(name)):
        return key
    return key[:_KEPT_OF_LONGER] + hashlib.sha256(key.encode()).hexdigest()[:32]
