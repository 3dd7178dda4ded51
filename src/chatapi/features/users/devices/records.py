"""Records of devices."""

from datetime import datetime

from msgspec import Struct

from chatapi.core.ids import DeviceId


class DeviceRecord(Struct, frozen=True):
    """A device of a user."""

    id: DeviceId
    push_key_id: int | None
    pending_push_token_id: str | None
    push_token_updated_at: datetime | None
