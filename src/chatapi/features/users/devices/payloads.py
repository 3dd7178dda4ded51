"""Payloads of devices."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.users.devices.records import DeviceRecord
from chatapi.wire.types import UnixSeconds


class DevicePayload(TypedDict):
    """What a device has registered for push notifications; null where nothing is registered."""

    push_key_id: int | None
    push_token_id: str | None
    """Null: this version registers no token with the services that send."""
    pending_push_token_id: str | None
    push_token_last_updated_timestamp: UnixSeconds | None
    push_registration_error_code: str | None


class CreatedDevicePayload(TypedDict):
    """The id of a new device."""

    device_id: int


def device_payload(device: DeviceRecord) -> DevicePayload:
    updated = device.push_token_updated_at
    return {
        "push_key_id": device.push_key_id,
        "push_token_id": None,
        "pending_push_token_id": device.pending_push_token_id,
        "push_token_last_updated_timestamp": None if updated is None else unix_seconds(updated),
        "push_registration_error_code": None,
    }
