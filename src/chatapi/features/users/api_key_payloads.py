"""Response payloads of the account endpoints."""

from typing_extensions import TypedDict

from chatapi.wire.secrets import Secret


class LoginPayload(TypedDict):
    """A new key for the device that logged in, and its user."""

    api_key: Secret
    email: str
    user_id: int


class ApiKeyPayload(TypedDict):
    """The new API key of the user."""

    api_key: Secret
