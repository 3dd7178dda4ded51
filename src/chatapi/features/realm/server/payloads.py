"""Response payloads about the server (SPEC 4.20)."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from chatapi.wire.types import DEPRECATED
from chatapi.wire.version import VersionPayload

_IsOffered = Annotated[bool, Field(description="Whether people can log in in this way.")]
AuthenticationMethods = TypedDict(
    "AuthenticationMethods",
    {
        "password": _IsOffered,
        "dev": _IsOffered,
        "email": _IsOffered,
        "ldap": _IsOffered,
        "remoteuser": _IsOffered,
        "github": _IsOffered,
        "azuread": _IsOffered,
        "gitlab": _IsOffered,
        "apple": _IsOffered,
        "google": _IsOffered,
        "saml": _IsOffered,
        "openid connect": _IsOffered,
        "discord": _IsOffered,
    },
)
AuthenticationMethods.__doc__ = "The ways to log in that clients of the protocol know."


class ExternalAuthenticationMethod(TypedDict):
    """A button on the login form that leads to another service."""

    name: str
    """Identifies the method."""
    display_name: str
    """What the login form calls it."""
    display_icon: str | None
    """A picture for the button; null for none."""
    login_url: str
    """Where the button leads for people with an account."""
    signup_url: str
    """Where the button leads for people without one."""


class ServerSettingsPayload(VersionPayload):
    """The server, and the organization if the host name of the request names one."""

    authentication_methods: Annotated[AuthenticationMethods, DEPRECATED]
    """The ways to log in; older form of `external_authentication_methods`."""
    external_authentication_methods: list[ExternalAuthenticationMethod]
    """Further ways to log in, beside the password. Always empty here."""
    push_notifications_enabled: bool
    """Always false: this server sends no mobile notifications."""
    is_incompatible: bool
    """Whether your client is too old for this server. Always false here."""
    email_auth_enabled: bool
    """Always true: people log in by email address and password."""
    require_email_format_usernames: bool
    """Always true: the user name is an email address."""
    realm_url: NotRequired[str]
    """The address of the organization, without a path."""
    realm_uri: NotRequired[Annotated[str, DEPRECATED]]
    """The same as `realm_url`."""
    realm_name: NotRequired[str]
    """The name of the organization."""
    realm_icon: NotRequired[str]
    """The icon of the organization."""
    realm_description: NotRequired[str]
    """What the organization is, as HTML."""
    realm_web_public_access_enabled: NotRequired[bool]
    """Whether visitors without an account can read web-public channels."""


class HealthPayload(TypedDict):
    """The process is healthy."""

    status: Literal["ok"]
    """Always `ok`: a process that is not healthy does not respond."""


class ReadinessPayload(TypedDict):
    """Requests are served; `degraded`: but something that makes it faster is unavailable."""

    status: Literal["ok", "degraded"]
    """`ok`, or `degraded` if something that makes it faster is unavailable."""
    unavailable: NotRequired[list[str]]
    """What is unavailable: `bus`. Events still reach other processes within a second."""
