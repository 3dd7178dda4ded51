"""Payloads of devices."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.users.devices.records import DeviceRecord
from chatapi.wire.types import UnixSeconds


class DevicePayload(TypedDict):
    """What a device has registered for push notifications; null where nothing is registered."""

    push_key_id: int | None
    """The client's number for the key that notifications are encrypted with; null for none."""
    push_token_id: str | None
    """Names the token that notifications are sent to. Always null: this version registers none."""
    pending_push_token_id: str | None
    """Names the token whose registration is not complete; null for none."""
    push_token_last_updated_timestamp: UnixSeconds | None
    """When the token was last registered, in Unix seconds; null for never."""
    push_registration_error_code: str | None
    """Why the registration failed; null if it did not."""


class CreatedDevicePayload(TypedDict):
    """The id of a new device."""

    device_id: int
    """The id of the new device; keep it as long as the app is logged in."""


def device_payload(device: DeviceRecord) -> DevicePayload:
    updated = device.push_token_updated_at
    return {
        "push_key_id": device.push_key_id,
        "push_token_id": None,
        "pending_push_token_id": device.pending_push_token_id,
        "push_token_last_updated_timestamp": None if updated is None else unix_seconds(updated),
        "push_registration_error_code": None,
    }
