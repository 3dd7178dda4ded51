"""API keys as they are listed."""

from dataclasses import dataclass
from datetime import datetime

from chatapi.core.ids import ApiKeyId


@dataclass(frozen=True)
class ApiKeyRecord:
    """What is known about a key; the key itself is not."""

    id: ApiKeyId
    name: str
    is_primary: bool
    created_at: datetime
    last_used_at: datetime | None
