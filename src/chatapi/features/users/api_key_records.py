"""API keys as they are listed."""

from datetime import datetime

from msgspec import Struct

from chatapi.core.ids import ApiKeyId


class ApiKeyRecord(Struct, frozen=True):
    """What is known about a key; the key itself is not."""

    id: ApiKeyId
    name: str
    is_primary: bool
    created_at: datetime
    last_used_at: datetime | None
