"""Rules for the subdomains of realms; pure."""

import re

from chatapi.core.errors import BadRequestError

_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_RESERVED = {
    "it looks like a page of the operator": (
        "www web app api static assets cdn files uploads media download downloads docs help "
        "status blog news about home demo chatapi"
    ),
    "people would trust it with passwords or money": (
        "admin administrator root system security abuse support billing payment payments login "
        "signin signup register auth sso oauth account accounts id password"
    ),
    "mail programs connect to it by themselves": (
        "mail email smtp imap pop pop3 mx webmail autoconfig autodiscover postmaster hostmaster "
        "webmaster noreply lists"
    ),
    "computers connect to it by themselves": (
        "localhost local ns ns1 ns2 dns ftp sftp ssh vpn proxy gateway wpad isatap ntp ldap"
    ),
    "operators use it for their own servers": (
        "metrics monitoring grafana health internal intranet staging database db redis cache"
    ),
}
"""Names that no organization can have, by the reason. Organizations that have one keep it."""
_REASONS = {name: reason for reason, names in _RESERVED.items() for name in names.split()}


def check_subdomain(subdomain: str) -> str:
    """A subdomain that a new or renamed realm may have, in lower case."""
    subdomain = subdomain.lower()
    if not _SUBDOMAIN.fullmatch(subdomain):
        raise BadRequestError("subdomain must consist of letters, digits and inner hyphens")
    if subdomain in _REASONS:
        reason = _REASONS[subdomain]
        raise BadRequestError(f"subdomain {subdomain} is reserved: {reason}; choose another")
    return subdomain


def subdomain_from(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:63].strip("-") or "org"
