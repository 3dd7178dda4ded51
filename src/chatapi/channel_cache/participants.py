"""What tells one set of people who write to each other from all others."""

import hashlib
from collections.abc import Iterable

from chatapi.core.ids import UserId


def people_key(user_ids: Iterable[UserId]) -> str:
    """The key of their conversation; neither order nor repetition matters."""
    text = ",".join(str(user_id) for user_id in sorted(set(user_ids)))
    return hashlib.sha256(text.encode()).hexdigest()
