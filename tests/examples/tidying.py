"""Makes recorded values short, free of secrets, and the same in each recording."""

import re
from typing import Any

MOST_ENTRIES = 3
"""Lists and collections by id are cut to this length: an example shows what entries are like."""
SECRETS = {
    "api_key": "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6",
    "token": "q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2",
    "queue_id": "hK3f9a2LmN8qR5tV7wXyZ1bC",
    "realm_uuid": "0a1b2c3d-4e5f-4607-8899-aabbccddeeff",
}
"""What stands for values of these keys, which are secret or random."""
FILE_TOKEN = "x9T2mQ7bKc1LwZ8sPd4VfA6h"
"""What stands for the random name of a stored file."""
_RANDOM_PARTS = {
    re.compile(r"(?<=/temporary/)[^/]+(?=/)"): "TGV0J3MgbWVldCBhdCBub29u",
    # The folder of a stored file has the first characters of its random name.
    re.compile(r"(?<![\w-])([\w-]{2})/\1[\w-]{18,}"): f"{FILE_TOKEN[:2]}/{FILE_TOKEN}",
    # That of the organization depends on its random id.
    re.compile(r"(?<=gravatar\.com/avatar/)[0-9a-f]+"): "7d8f9e0a1b2c3d4e5f60718293a4b5c6",
}
"""Parts of addresses that are secret or random, and what stands for them."""


def tidy(value: Any) -> Any:
    """A value of JSON as it is shown in the documentation."""
    if isinstance(value, dict):
        entries = list(value.items())
        if _is_collection(value):
            entries = entries[:MOST_ENTRIES]
        return {key: _without_secret(key, tidy(entry)) for key, entry in entries}
    if isinstance(value, list):
        return [tidy(entry) for entry in value[:MOST_ENTRIES]]
    return _without_random_parts(value) if isinstance(value, str) else value


def _is_collection(value: dict[str, Any]) -> bool:
    """Whether an object has many entries of one kind, and not keys of its own."""
    kinds = {frozenset(entry) if isinstance(entry, dict) else None for entry in value.values()}
    return len(kinds) == 1 and None not in kinds


def _without_secret(key: str, value: Any) -> Any:
    return SECRETS[key] if key in SECRETS and isinstance(value, str) else value


def _without_random_parts(text: str) -> str:
    for pattern, replacement in _RANDOM_PARTS.items():
        text = pattern.sub(replacement, text)
    return text
