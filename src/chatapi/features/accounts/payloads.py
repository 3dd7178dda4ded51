"""Answers of the account endpoints."""

from typing_extensions import TypedDict

from chatapi.wire.secrets import Secret


class LoginPayload(TypedDict):
    """A key of its own for the device that logged in, and whose it is."""

    api_key: Secret
    email: str
    user_id: int


class ApiKeyPayload(TypedDict):
    """The only key of the user."""

    api_key: Secret
