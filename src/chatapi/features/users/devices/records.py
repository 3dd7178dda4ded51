"""Records of devices."""

from dataclasses import dataclass
from datetime import datetime

from chatapi.core.ids import DeviceId


@dataclass(frozen=True)
class DeviceRecord:
    """A device of a user."""

    id: DeviceId
    push_key_id: int | None
    pending_push_token_id: str | None
    push_token_updated_at: datetime | None
