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


class ApiKeyDescription(TypedDict):
    """An API key without the key itself, of which only a digest is stored."""

    id: int
    """The number of the key, for revoking it."""
    name: str
    """What the key is for: the client that logged in, or what the operator wrote."""
    is_login: bool
    """Whether the key was issued at a login; the others stay until they are revoked."""
    is_current: bool
    """Whether this request was made with the key."""
    created_at: int
    """When the key was issued, in seconds since 1970."""
    last_used_at: int | None
    """The last use, in seconds since 1970, up to ten minutes late; null if it was not used yet."""


class ApiKeysPayload(TypedDict):
    """All valid API keys of the user."""

    api_keys: list[ApiKeyDescription]
    """The oldest one first."""


class ApiKeyPayload(TypedDict):
    """The new API key of the user."""

    api_key: Secret
    """The new key, the password for HTTP Basic. It is shown only this once."""
