"""Payloads of mail domains."""

from typing_extensions import TypedDict


class DomainPayload(TypedDict):
    """A mail domain of the organization."""

    domain: str
    """The part of addresses after the `@`."""
    allow_subdomains: bool
    """Whether addresses of its subdomains are allowed, too."""


class DomainsPayload(TypedDict):
    """All mail domains of the organization."""

    domains: list[DomainPayload]
    """The mail domains, by name."""


class CreatedDomainPayload(TypedDict):
    """The new mail domain: the id of the organization, and its name."""

    new_domain: list[int | str]
    """The id of the organization, and the domain that was added."""
