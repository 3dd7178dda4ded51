"""Response payloads about the server (SPEC 4.20)."""

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from chatapi.wire.types import DEPRECATED
from chatapi.wire.version import VersionPayload

AuthenticationMethods = TypedDict(
    "AuthenticationMethods",
    {
        "password": bool,
        "dev": bool,
        "email": bool,
        "ldap": bool,
        "remoteuser": bool,
        "github": bool,
        "azuread": bool,
        "gitlab": bool,
        "apple": bool,
        "google": bool,
        "saml": bool,
        "openid connect": bool,
        "discord": bool,
    },
)
"""The available login methods."""


class ExternalAuthenticationMethod(TypedDict):
    """A button on the login form that leads to another service."""

    name: str
    display_name: str
    display_icon: str | None
    login_url: str
    signup_url: str


class ServerSettingsPayload(VersionPayload):
    """The server, and the organization if the host name of the request names one."""

    authentication_methods: Annotated[AuthenticationMethods, DEPRECATED]
    external_authentication_methods: list[ExternalAuthenticationMethod]
    push_notifications_enabled: bool
    is_incompatible: bool
    email_auth_enabled: bool
    require_email_format_usernames: bool
    realm_url: NotRequired[str]
    realm_uri: NotRequired[Annotated[str, DEPRECATED]]
    realm_name: NotRequired[str]
    realm_icon: NotRequired[str]
    realm_description: NotRequired[str]
    """HTML."""
    realm_web_public_access_enabled: NotRequired[bool]


class HealthPayload(TypedDict):
    """The process is healthy."""

    status: Literal["ok"]


class ReadinessPayload(TypedDict):
    """Requests are served; `degraded`: but something that makes it faster is unavailable."""

    status: Literal["ok", "degraded"]
    unavailable: NotRequired[list[str]]
    """What is unavailable: `bus`. Events still reach other processes within a second."""
