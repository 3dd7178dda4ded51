"""The middleware around all endpoints: request id, limits, cross-site check, error envelope."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from chatapi.core.errors import (
    ApiError,
    BadRequestError,
    InternalError,
    NotFoundError,
    UnavailableError,
)
from chatapi.core.measurements import Measurements
from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.files.store import MissingFileError
from chatapi.http.compression import ResponseCompressor
from chatapi.http.content import CompressionPolicy
from chatapi.http.cors import CorsPolicy, send_preflight
from chatapi.http.forms import ClientDisconnectedError
from chatapi.http.limits import RateLimits
from chatapi.http.request import ApiRequest, BodyLimits
from chatapi.http.responses import send_error

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# A name or an IPv4 address, or an IPv6 address in brackets; and perhaps a port.
_HOST = re.compile(r"([A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII)
_SAME_ORIGIN = frozenset({"", "none", "same-origin"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


log = structlog.get_logger()
_MIB = 1024 * 1024


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


def check_site(request: ApiRequest, public_url: str, cors: CorsPolicy) -> None:
    """Refuse requests that a browser sends for a page of another site, unless they only read.

    Programs send neither of the two headers. Realms share one domain, so a page of the same domain
    is another site too. Origins that the operator listed are not refused.
    """
    if request.method not in _SAFE_METHODS and is_from_other_site(request, public_url, cors):
        raise CrossSiteRequestError


def is_from_other_site(request: ApiRequest, public_url: str, cors: CorsPolicy) -> bool:
    """Whether a browser sends the request for a page of another site that is not listed."""
    if cors.is_on and cors.allows(request):
        return False
    if request.header(b"sec-fetch-site") not in _SAME_ORIGIN:
        return True
    origin = request.header(b"origin")
    return bool(origin) and not _is_ours(origin, request.header(b"host"), public_url)


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


class ApiMiddleware:
    """Plain ASGI middleware around the routes; all responses, errors included, pass through it."""

    def __init__(
        self,
        find_route: Callable[[Scope], ASGIApp],
        settings: Settings,
        limits: RateLimits,
        compressor: ResponseCompressor,
        unlimited_paths: frozenset[str] = frozenset(),
        *,
        measurements: Measurements,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        self._measurements = measurements
        self._is_observed = settings.access_log or type(measurements) is not Measurements
        self._find_route = find_route
        self._settings = settings
        self._limits = limits
        self._unlimited_paths = unlimited_paths
        self._is_ending = is_ending
        self._body_limits = BodyLimits(
            settings.max_body_bytes, settings.max_file_upload_size_mib * _MIB
        )
        self._anonymous_body_limits = self._body_limits.without_credentials()
        self._cors = CorsPolicy(settings.cors_origins)
        self._compression = CompressionPolicy(compressor, self._is_from_other_site)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        request = ApiRequest(scope, receive)
        # Not in a dictionary of their own, which a waiting poll would keep.
        scope["request"] = request
        scope["body_limits"] = self._body_limits
        scope["anonymous_body_limits"] = self._anonymous_body_limits
        scope["compression"] = self._compression
        if self._cors.is_on:
            request.cors = self._cors
            send = self._cors.wrap(request, send)
        return (
            self._answer_observed(request, send)
            if self._is_observed
            else self._answer(request, send)
        )

    def _is_from_other_site(self, request: ApiRequest) -> bool:
        return is_from_other_site(request, self._settings.public_url, self._cors)

    async def _answer(self, request: ApiRequest, send: Send) -> None:
        try:
            if request.path not in self._unlimited_paths:
                self._limits.charge_address(request)
            check_host(request)
            if self._cors.is_on and self._cors.is_preflight(request):
                await send_preflight(request, send)
                return
            check_site(request, self._settings.public_url, self._cors)
            await self._find_route(request.scope)(request.scope, request.receive, send)
        except ApiError as error:
            await send_error(request, send, error)
        except ClientDisconnectedError:
            pass
        except asyncio.CancelledError:
            # The server cancels requests that are still running when the process has to end.
            if not self._is_ending():
                raise
            if not request.response_status:
                await send_error(request, send, UnavailableError())
        except MissingFileError:
            await send_error(request, send, NotFoundError())
        except Exception as error:  # noqa: BLE001 (the last place where a response can be sent)
            await send_error(request, send, self._translate(request, error))
        finally:
            # Request and scope refer to each other: without this every request, with all the server
            # holds for it, would be left to the garbage collector.
            del request.scope["request"]

    def _translate(self, request: ApiRequest, error: Exception) -> ApiError:
        """Returns the error for the client; the details go only to the log."""
        if is_unavailable(error):
            log.warning("unavailable", **_where(request), reason=type(error).__name__)
            return UnavailableError()
        log.error("request_failed", **_where(request), exc_info=error)
        return InternalError()

    async def _answer_observed(self, request: ApiRequest, send: Send) -> None:
        await self._answer(request, send)
        seconds, status = request.waited, request.response_status
        self._measurements.request_ended(request.method, request.route_path, status, seconds)
        if self._settings.access_log:
            log.info(
                "request",
                **_where(request),
                status=status,
                seconds=round(seconds, 4),
                realm=request.realm_name,
                user_id=request.charged_user_id,
                address=request.address,
            )


def _where(request: ApiRequest) -> dict[str, str]:
    return {"request_id": request.request_id, "method": request.method, "path": request.route_path}
