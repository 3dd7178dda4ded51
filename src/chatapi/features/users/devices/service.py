"""Use cases: register devices, and what they need for push notifications."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import DeviceId
from chatapi.features.users.devices.errors import (
    InvalidPushDeviceTokenError,
    NoActivePushDeviceError,
    PushServiceNotConfiguredError,
)
from chatapi.features.users.devices.events import DeviceAdded, DeviceRemoved, DeviceUpdated
from chatapi.features.users.devices.params import (
    MAX_DEVICES,
    RegisterPushParams,
    TestDeviceNotificationParams,
    TestNotificationParams,
)
from chatapi.features.users.devices.payloads import (
    CreatedDevicePayload,
    DevicePayload,
    device_payload,
)
from chatapi.features.users.devices.records import DeviceRecord
from chatapi.features.users.devices.repository import DeviceRepository

_KEY = {"push_key_id", "push_key"}
_TOKEN = {"token_kind", "token_id", "bouncer_public_key", "encrypted_push_registration"}
_KINDS = ("fcm", "apns")


class DeviceService:
    """The devices of a user."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._devices = DeviceRepository(ctx.db, ctx.user.id)

    async def list_own(self) -> dict[str, DevicePayload]:
        """By id; costs no statement for users without devices."""
        if not self._ctx.user.has_devices:
            return {}
        return {str(each.id): device_payload(each) for each in await self._devices.list_all()}

    async def add(self) -> CreatedDevicePayload:
        """POST /register_client_device."""
        await self._ctx.lock()
        count = len(await self._devices.list_all())
        if count >= MAX_DEVICES:
            raise BadRequestError(f"Too many devices (maximum {MAX_DEVICES})")
        device_id = await self._devices.add()
        if count == 0:
            await self._devices.note_devices(has_devices=True)
        self._ctx.emit_to_caller(DeviceAdded(user_id=self._ctx.user.id, device_id=device_id))
        return {"device_id": device_id}

    async def remove(self, device_id: DeviceId) -> None:
        """POST /remove_client_device."""
        await self._ctx.lock()
        devices = await self._devices.list_all()
        _find(devices, device_id)
        await self._devices.remove(device_id)
        if len(devices) == 1:
            await self._devices.note_devices(has_devices=False)
        self._ctx.emit_to_caller(DeviceRemoved(user_id=self._ctx.user.id, device_id=device_id))

    async def register_push(self, params: RegisterPushParams) -> None:
        """POST /mobile_push/register: stored; nothing registers it with a service that sends."""
        passed = {name for name in _KEY | _TOKEN if getattr(params, name) is not None}
        has_key, has_token = passed >= _KEY, passed >= _TOKEN
        if not passed or (not has_key and passed & _KEY) or (not has_token and passed & _TOKEN):
            raise BadRequestError(
                "Missing parameters: pass all of push_key_id and push_key, all of token_kind,"
                " token_id, bouncer_public_key and encrypted_push_registration, or both"
            )
        await self._ctx.lock()
        device = _find(await self._devices.list_all(), DeviceId(params.device_id))
        if not has_key and device.push_key_id is None:
            raise BadRequestError("push_key: The device has no key yet")
        changes: dict[str, object] = {}
        if has_key:
            changes |= {"push_key_id": params.push_key_id, "push_key": params.push_key}
        if has_token:
            changes |= {
                "push_token_kind": params.token_kind,
                "pending_push_token_id": params.token_id,
                "push_registration": params.encrypted_push_registration,
                "push_token_updated_at": self._ctx.now(),
            }
        await self._devices.change(device.id, **changes)
        changed = _find(await self._devices.list_all(), device.id)
        self._ctx.emit_to_caller(DeviceUpdated(device_id=device.id, device=device_payload(changed)))


class PushTokenService:
    """Tokens of apps whose push notifications are not encrypted."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._devices = DeviceRepository(ctx.db, ctx.user.id)

    async def add(self, kind: str, token: str, app_id: str | None = None) -> None:
        """A token that is already there stays as it is."""
        await self._ctx.lock()
        if await self._devices.has_token(kind, token):
            return
        if await self._devices.count_tokens(kind) >= MAX_DEVICES:
            raise BadRequestError(f"Too many devices (maximum {MAX_DEVICES})")
        await self._devices.add_token(kind, token, app_id, self._ctx.now())

    async def remove(self, kind: str, token: str) -> None:
        await self._ctx.lock()
        if not await self._devices.has_token(kind, token):
            raise BadRequestError("token: Token does not exist")
        await self._devices.remove_token(kind, token)

    async def test(self, params: TestNotificationParams) -> None:
        """POST /mobile_push/test_notification: says that nothing is sent."""
        token = params.token
        if token is not None:
            known = [await self._devices.has_token(kind, token) for kind in _KINDS]
            if not any(known):
                raise InvalidPushDeviceTokenError
        raise PushServiceNotConfiguredError

    async def test_device(self, params: TestDeviceNotificationParams) -> None:
        """POST /mobile_push/e2ee/test_notification: says that nothing is sent."""
        devices = [each for each in await self._devices.list_all() if each.pending_push_token_id]
        wanted = params.device_id
        if not any(wanted is None or each.id == wanted for each in devices):
            raise NoActivePushDeviceError
        raise PushServiceNotConfiguredError


def _find(devices: list[DeviceRecord], device_id: DeviceId) -> DeviceRecord:
    for device in devices:
        if device.id == device_id:
            return device
    raise BadRequestError("Invalid device_id")
