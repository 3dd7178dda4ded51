"""Parameters of mail domains."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params

MAX_DOMAINS = 200
MAX_DOMAIN_LENGTH = 253


class AddDomainParams(Params):
    """POST /realm/domains."""

    domain: Annotated[str, Field(max_length=MAX_DOMAIN_LENGTH)]
    """The part of addresses after the `@`."""
    allow_subdomains: bool
    """Whether addresses of its subdomains are allowed, too."""


class ChangeDomainParams(Params):
    """PATCH /realm/domains/{domain}."""

    allow_subdomains: bool
    """Whether addresses of its subdomains are allowed, too."""
