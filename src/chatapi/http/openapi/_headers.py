"""Headers in the OpenAPI document, of requests and of responses."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from chatapi.http.idempotency import MAX_KEY_LENGTH
from chatapi.http.route import ChatRoute

Schema = dict[str, Any]

_NUMBER: Schema = {"type": "integer", "format": "int64"}
_TEXT: Schema = {"type": "string"}
_ETAG = 'W/"Vq1LQ0v7c2WkzWJc8oTn3pXa"'
HEADERS: dict[str, Schema] = {
    "X-Request-Id": {"description": "Names the request in the server's log.", "schema": _TEXT},
    "X-RateLimit-Limit": {
        "description": "How many requests are allowed in the current minute.",
        "schema": _NUMBER,
    },
    "X-RateLimit-Remaining": {
        "description": "How many of them are left.",
        "schema": _NUMBER,
    },
    "X-RateLimit-Reset": {
        "description": "When the next minute begins, in seconds since 1970-01-01 UTC.",
        "schema": _NUMBER,
    },
    "Retry-After": {
        "description": "After how many seconds to try again.",
        "schema": _NUMBER,
    },
    "ETag": {
        "description": "Names this content; send it as `If-None-Match` with the next request.",
        "schema": _TEXT,
        "example": _ETAG,
    },
    "WWW-Authenticate": {"description": "How to log in: HTTP Basic.", "schema": _TEXT},
}
"""Headers of responses, the components that responses refer to."""
_ALLOW: Schema = {"description": "The methods that the path has.", "schema": _TEXT}
_RATE_LIMIT = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_BY_STATUS: dict[int, Sequence[str]] = {
    HTTPStatus.UNAUTHORIZED: ("WWW-Authenticate",),
    HTTPStatus.TOO_MANY_REQUESTS: ("Retry-After", *_RATE_LIMIT),
    HTTPStatus.SERVICE_UNAVAILABLE: ("Retry-After",),
}
_IDEMPOTENCY_KEY: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A text of your own: with the same one, a request is carried out once.",
    "schema": {"type": "string", "maxLength": MAX_KEY_LENGTH},
    "example": "7f8e1a52-0d54-4a5e-9f43-2a1f6c1f3c55",
}
_IF_NONE_MATCH: Schema = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of a response you have: if it is still the same, you get 304.",
    "schema": _TEXT,
    "example": _ETAG,
}


def has_etag(route: ChatRoute) -> bool:
    """Whether responses have an entity tag, and a client that has the content gets 304."""
    return route.operation.revalidates and route.method == "GET"


def takes_idempotency_key(route: ChatRoute) -> bool:
    """Whether responses are stored for requests with a key."""
    is_kept = route.method == "POST" and route.stores_responses
    return is_kept and route.operation.guard.credentials == "required"


def request_headers(route: ChatRoute) -> list[Schema]:
    """Describe the headers that have a meaning in requests of an operation."""
    if has_etag(route):
        return [_IF_NONE_MATCH]
    return [_IDEMPOTENCY_KEY] if takes_idempotency_key(route) else []


def headers_of_success(route: ChatRoute) -> Schema:
    etag = ("ETag",) if has_etag(route) else ()
    return _refer(["X-Request-Id", *(_RATE_LIMIT if route.is_limited else ()), *etag])


def headers_of_error(status: int) -> Schema:
    return _refer(["X-Request-Id", *_BY_STATUS.get(status, ())])


def headers_of_unrouted(status: int) -> Schema:
    """Describe the headers of a response that no operation has: no component is for it alone."""
    allow = {"Allow": _ALLOW} if status == HTTPStatus.METHOD_NOT_ALLOWED else {}
    return {**headers_of_error(status), **allow}


def _refer(names: Sequence[str]) -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
