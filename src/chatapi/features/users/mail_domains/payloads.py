"""Payloads of mail domains."""

from typing_extensions import TypedDict


class DomainPayload(TypedDict):
    """A mail domain of the organization."""

    domain: str
    allow_subdomains: bool


class DomainsPayload(TypedDict):
    """All mail domains of the organization."""

    domains: list[DomainPayload]


class CreatedDomainPayload(TypedDict):
    """The new mail domain: the id of the organization, and its name."""

    new_domain: list[int | str]
