"""Cross-origin requests: what browsers may do for pages of origins that an operator listed.

Nothing is allowed with credentials of the browser: a page sends its API key itself, in the
Authorization header.
"""

from collections.abc import Iterable

from starlette.types import Message, Send

from chatapi.http.request import ApiRequest
from chatapi.http.whole_responses import Header

_METHODS = b"GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS = b"Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"
_EXPOSED_HEADERS = (
    b"ETag, X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
)
_PREFLIGHT_SECONDS = b"600"


class CorsPolicy:
    """The listed origins and the headers for them; without origins it changes no response."""

    def __init__(self, origins: str) -> None:
        self._origins = frozenset(origin.encode() for origin in origins.split(",") if origin)
        self.is_on = bool(self._origins)

    def allows(self, request: ApiRequest) -> bool:
        """Whether a page of a listed origin sent the request."""
        return request.headers.get(b"origin") in self._origins

    def is_preflight(self, request: ApiRequest) -> bool:
        """Whether a browser asks if a page of a listed origin may send a request."""
        return (
            request.method == "OPTIONS"
            and b"access-control-request-method" in request.headers
            and self.allows(request)
        )

    def add_to(self, headers: Iterable[Header], request: ApiRequest) -> tuple[Header, ...]:
        """Return the headers of a response together with those of the policy."""
        varying = _vary_by_origin(headers)
        if not self.allows(request):
            return varying
        return (
            *varying,
            (b"access-control-allow-origin", request.headers[b"origin"]),
            (b"access-control-expose-headers", _EXPOSED_HEADERS),
        )

    def wrap(self, request: ApiRequest, send: Send) -> Send:
        """Add the headers of the policy to whatever is sent by ASGI's messages."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": self.add_to(message["headers"], request)}
            await send(message)

        return send_with_headers


def _vary_by_origin(headers: Iterable[Header]) -> tuple[Header, ...]:
    """A cache must not give a page of one origin what was sent for another.

    Returns one `Vary` for all: some proxies pass on only the first of several.
    """
    named = [value for name, value in headers if name == b"vary"]
    others = [(name, value) for name, value in headers if name != b"vary"]
    return (*others, (b"vary", b", ".join([*named, b"Origin"])))


async def send_preflight(request: ApiRequest, send: Send) -> None:
    """Allow every method and header of the API; `CorsPolicy.wrap` adds the origin."""
    request.response_status = 204
    await send(
        {
            "type": "http.response.start",
            "status": 204,
            "headers": [
                (b"access-control-allow-methods", _METHODS),
                (b"access-control-allow-headers", _REQUEST_HEADERS),
                (b"access-control-max-age", _PREFLIGHT_SECONDS),
                (b"x-request-id", request.request_id.encode()),
            ],
        }
    )
    await send({"type": "http.response.body", "body": b""})
