"""Parameters of devices."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.core.ids import MAX_ID
from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_DEVICES = 100
"""Limit per user, of devices and of tokens of each kind."""
_MAX_KEY_ID = 2**32 - 1

DeviceIdParam = Annotated[int, Field(ge=0, le=MAX_ID)]
Token = Annotated[str, Field(min_length=1, max_length=1_000, examples=["c3a1f0"])]


class RemoveDeviceParams(Params):
    """POST /remove_client_device."""

    device_id: DeviceIdParam
    """The device to remove, from `POST /register_client_device`."""


class RegisterPushParams(Params):
    """POST /mobile_push/register: a key, a token, or both."""

    device_id: Id
    """The device that registers, from `POST /register_client_device`."""
    push_key_id: Annotated[int, Field(ge=0, le=_MAX_KEY_ID)] | None = None
    """The client's number for the key; together with `push_key`."""
    push_key: Annotated[str, Field(max_length=200)] | None = None
    """The key, in base 64, with which notifications are to be encrypted; together with
    `push_key_id`."""
    token_kind: Literal["fcm", "apns"] | None = None
    """The service of the token: Firebase Cloud Messaging or that of Apple. Together with the
    following three."""
    token_id: Annotated[str, Field(max_length=100)] | None = None
    """The client's name for the token."""
    bouncer_public_key: Annotated[str, Field(max_length=200)] | None = None
    """The public key, in base 64, with which the registration is encrypted."""
    encrypted_push_registration: Annotated[str, Field(max_length=4_000)] | None = None
    """The token and what belongs to it, encrypted with that key, in base 64."""


class AndroidTokenParams(Params):
    """POST and DELETE /users/me/android_gcm_reg_id."""

    token: Token
    """The registration token of the app, from Firebase Cloud Messaging."""


class AppleTokenParams(Params):
    """POST /users/me/apns_device_token."""

    token: Token
    """The device token of the app, from Apple, in hexadecimal."""
    appid: Annotated[str, Field(max_length=200)]
    """The bundle identifier of the app."""


class RemoveAppleTokenParams(Params):
    """DELETE /users/me/apns_device_token."""

    token: Token
    """The device token that the app no longer uses."""


class TestNotificationParams(Params):
    """POST /mobile_push/test_notification."""

    token: Token | None = None
    """The token to send to; all of yours if left out."""


class TestDeviceNotificationParams(Params):
    """POST /mobile_push/e2ee/test_notification."""

    device_id: Id | None = None
    """The device to send to; all of yours if left out."""
