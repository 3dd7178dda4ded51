"""Errors about accounts."""

from dataclasses import dataclass

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class AuthenticationFailedError(ApiError):
    """The user name or the password is wrong, or the account is deactivated."""

    code = "AUTHENTICATION_FAILED"
    status = 401
    text = "Your username or password is incorrect"
