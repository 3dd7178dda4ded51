"""Errors about realms."""

from dataclasses import dataclass

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class SubdomainTakenError(ApiError):
    """Another organization has this subdomain."""

    code = "SUBDOMAIN_TAKEN"
    text = "subdomain {subdomain} is already taken"
    subdomain: str
