"""Response payloads of the account endpoints."""

from typing_extensions import TypedDict

from chatapi.wire.secrets import Secret


class LoginPayload(TypedDict):
    """A new key for the device that logged in, and its user."""

    api_key: Secret
    """The password for HTTP Basic in all other requests. It is shown only this once."""
    email: str
    """The user name for HTTP Basic: the real address of the account."""
    user_id: int
    """The user who is logged in now."""


class ApiKeyPayload(TypedDict):
    """The new API key of the user."""

    api_key: Secret
    """The new key, the password for HTTP Basic. It is shown only this once."""
