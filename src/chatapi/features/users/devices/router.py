"""Endpoints of devices and push notifications."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import DeviceId
from chatapi.features.users.devices.errors import (
    InvalidPushDeviceTokenError,
    NoActivePushDeviceError,
    PushServiceNotConfiguredError,
)
from chatapi.features.users.devices.params import (
    AndroidTokenParams,
    AppleTokenParams,
    RegisterPushParams,
    RemoveAppleTokenParams,
    RemoveDeviceParams,
    TestDeviceNotificationParams,
    TestNotificationParams,
)
from chatapi.features.users.devices.payloads import CreatedDevicePayload
from chatapi.features.users.devices.service import DeviceService, PushTokenService
from chatapi.http.route import FeatureRouter, raises

router = FeatureRouter(
    "Devices", "Devices of users. What they register is stored; nothing sends notifications yet."
)


@router.post("/register_client_device")
async def register_client_device(ctx: LoggedIn) -> CreatedDevicePayload:
    """Register a device.

    An app calls it once for each login, and keeps the id. A user can have 100 devices. Your clients
    receive a `device/add` event.
    """
    return await DeviceService(ctx).add()


@router.post("/remove_client_device")
async def remove_client_device(ctx: LoggedIn, params: RemoveDeviceParams) -> None:
    """Remove a device.

    An app calls it when it logs out. Your clients receive a `device/remove` event.
    """
    await DeviceService(ctx).remove(DeviceId(params.device_id))


@router.post("/mobile_push/register")
async def register_push_device(ctx: LoggedIn, params: RegisterPushParams) -> None:
    """Register a device for encrypted push notifications.

    The registration is stored and stays pending: this version sends no push notifications.
    """
    await DeviceService(ctx).register_push(params)


@router.post(
    "/mobile_push/test_notification",
    responses=raises(InvalidPushDeviceTokenError, PushServiceNotConfiguredError),
)
async def test_push_notification(ctx: LoggedIn, params: TestNotificationParams) -> None:
    """Request a test notification.

    Always an error, since nothing sends push notifications: `INVALID_PUSH_DEVICE_TOKEN` for a token
    that is not registered, else `PUSH_SERVICE_NOT_CONFIGURED`.
    """
    await PushTokenService(ctx).test(params)


@router.post(
    "/mobile_push/e2ee/test_notification",
    responses=raises(NoActivePushDeviceError, PushServiceNotConfiguredError),
)
async def test_encrypted_push_notification(
    ctx: LoggedIn, params: TestDeviceNotificationParams
) -> None:
    """Request an encrypted test notification.

    Always an error, since nothing sends push notifications: `NO_ACTIVE_PUSH_DEVICE` if no device of
    yours has registered a token, else `PUSH_SERVICE_NOT_CONFIGURED`.
    """
    await PushTokenService(ctx).test_device(params)


@router.post("/users/me/android_gcm_reg_id")
async def add_android_token(ctx: LoggedIn, params: AndroidTokenParams) -> None:
    """Register a token of Firebase Cloud Messaging.

    It is stored; nothing sends notifications to it yet. Registering it again changes nothing. You
    can have 100.
    """
    await PushTokenService(ctx).add("fcm", params.token)


@router.delete("/users/me/android_gcm_reg_id")
async def remove_android_token(ctx: LoggedIn, params: AndroidTokenParams) -> None:
    """Remove a token of Firebase Cloud Messaging.

    An app calls it when it logs out. A token that is not yours is refused.
    """
    await PushTokenService(ctx).remove("fcm", params.token)


@router.post("/users/me/apns_device_token")
async def add_apple_token(ctx: LoggedIn, params: AppleTokenParams) -> None:
    """Register a token of the Apple Push Notification service.

    It is stored; nothing sends notifications to it yet. Registering it again changes nothing. You
    can have 100.
    """
    await PushTokenService(ctx).add("apns", params.token, params.appid)


@router.delete("/users/me/apns_device_token")
async def remove_apple_token(ctx: LoggedIn, params: RemoveAppleTokenParams) -> None:
    """Remove a token of the Apple Push Notification service.

    An app calls it when it logs out. A token that is not yours is refused.
    """
    await PushTokenService(ctx).remove("apns", params.token)
