"""Checks of the Host header and of the site a request comes from, by the headers browsers send."""

import re
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

from chatapi.core.errors import ApiError, BadRequestError
from chatapi.http.request import ApiRequest

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# A name or an IPv4 address, or an IPv6 address in brackets; and perhaps a port.
_HOST = re.compile(r"([A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII)
_SAME_ORIGIN = frozenset({"", "none", "same-origin"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(eq=False)
class CrossSiteRequestError(ApiError):
    """A page of another site sent the request: a browser may have added a user's credentials."""

    code: ClassVar[str] = "CROSS_SITE_REQUEST"
    status: ClassVar[int] = 403
    text: ClassVar[str] = "Requests that change something cannot be sent from another site"


def check_host(request: ApiRequest) -> None:
    """Refuse a Host header that is not a host name: it becomes part of URLs in responses."""
    host = request.header(b"host")
    if host and not _HOST.fullmatch(host):
        raise BadRequestError("The Host header is not a valid host name")
    if len(request.headers) < len(request.scope["headers"]):
        names = [name for name, _ in request.scope["headers"]]
        if names.count(b"host") > 1:
            raise BadRequestError("There is more than one Host header")


def check_site(request: ApiRequest, public_url: str) -> None:
    """Refuse requests that a browser sends for a page of another site, unless they only read.

    Programs send neither of the two headers. Realms share one domain, so a page of the same domain
    is another site too.
    """
    if request.method in _SAFE_METHODS:
        return
    if request.header(b"sec-fetch-site") not in _SAME_ORIGIN:
        raise CrossSiteRequestError
    origin = request.header(b"origin")
    if origin and not _is_ours(origin, request.header(b"host"), public_url):
        raise CrossSiteRequestError


def _is_ours(origin: str, host: str, public_url: str) -> bool:
    place = _place(origin)
    if place is None:
        return False
    if public_url and place == _place(public_url):
        return True
    # Behind a proxy that adds TLS, the scheme the browser used is not known here.
    return place == _place(f"{place[0]}://{host}")


def _place(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of a URL; None if it is not valid."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or port is None:
        return None
    return parts.scheme, parts.hostname, port
