"""The devices part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.devices.payloads import DevicePayload
from chatapi.features.users.devices.service import DeviceService


class DevicesState(TypedDict):
    """The caller's devices, by id."""

    devices: dict[str, DevicePayload]
    """Your devices, by id."""


@state_section("device")
async def load_devices(ctx: Context, profile: ClientProfile) -> DevicesState:
    del profile
    return {"devices": await DeviceService(ctx).list_own()}
