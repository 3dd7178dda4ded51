"""Parameters of devices."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.core.ids import MAX_ID
from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_DEVICES = 100
"""Limit per user, of devices and of tokens of each kind."""
_MAX_KEY_ID = 2**32 - 1

DeviceIdParam = Annotated[int, Field(ge=0, le=MAX_ID, examples=[1])]
Token = Annotated[str, Field(min_length=1, max_length=1_000, examples=["c3a1f0"])]


class RemoveDeviceParams(Params):
    """POST /remove_client_device."""

    device_id: DeviceIdParam


class RegisterPushParams(Params):
    """POST /mobile_push/register: a key, a token, or both."""

    device_id: Id
    push_key_id: Annotated[int, Field(ge=0, le=_MAX_KEY_ID)] | None = None
    """The client's name for the key; with `push_key`."""
    push_key: Annotated[str, Field(max_length=200)] | None = None
    """The key, in base 64, with which notifications are to be encrypted."""
    token_kind: Literal["fcm", "apns"] | None = None
    """The service of the token; with the following parameters."""
    token_id: Annotated[str, Field(max_length=100)] | None = None
    bouncer_public_key: Annotated[str, Field(max_length=200)] | None = None
    encrypted_push_registration: Annotated[str, Field(max_length=4_000)] | None = None


class AndroidTokenParams(Params):
    """POST and DELETE /users/me/android_gcm_reg_id."""

    token: Token


class AppleTokenParams(Params):
    """POST /users/me/apns_device_token."""

    token: Token
    appid: Annotated[str, Field(max_length=200, examples=["org.example.chat"])]


class RemoveAppleTokenParams(Params):
    """DELETE /users/me/apns_device_token."""

    token: Token


class TestNotificationParams(Params):
    """POST /mobile_push/test_notification."""

    token: Token | None = None


class TestDeviceNotificationParams(Params):
    """POST /mobile_push/e2ee/test_notification."""

    device_id: Id | None = None
