"""The key that identifies a direct-message conversation by its participants."""

import hashlib
from collections.abc import Iterable

from chatapi.core.ids import UserId


def people_key(user_ids: Iterable[UserId]) -> str:
    """Returns the key of the users' conversation; order and duplicates do not matter."""
    text = ",".join(str(user_id) for user_id in sorted(set(user_ids)))
    return hashlib.sha256(text.encode()).hexdigest()
