"""Errors about push notifications."""

from dataclasses import dataclass

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class PushServiceNotConfiguredError(ApiError):
    """Nothing sends push notifications: this version only stores who wants them."""

    code = "PUSH_SERVICE_NOT_CONFIGURED"
    text = "This server does not send push notifications."


@dataclass(eq=False)
class InvalidPushDeviceTokenError(ApiError):
    """The caller has not registered this token."""

    code = "INVALID_PUSH_DEVICE_TOKEN"
    text = "Device not recognized"


@dataclass(eq=False)
class NoActivePushDeviceError(ApiError):
    """The caller has no device that has registered for push notifications."""

    code = "NO_ACTIVE_PUSH_DEVICE"
    text = "No active registered push device"
