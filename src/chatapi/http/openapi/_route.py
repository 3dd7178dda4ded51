"""Serves the OpenAPI document."""

from collections.abc import Callable
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from chatapi.http.content import Content, send_content
from chatapi.http.etags import etag_of
from chatapi.http.request import ApiRequest

DOCUMENT_PATH = "/openapi.json"
_HEADERS = (
    (b"content-type", b"application/json"),
    # It changes with the version of the server, and its address does not.
    (b"cache-control", b"public, no-cache"),
    (b"vary", b"Accept-Encoding"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class _DocumentApp:
    """An ASGI app that builds the document on the first request, and keeps it encoded."""

    def __init__(self, document: Callable[[], dict[str, Any]]) -> None:
        self._document = document
        self._content: Content | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        request: ApiRequest = scope["request"]
        if self._content is None:
            # In a thread: building the document takes seconds and must not block other requests.
            encoded = await run_in_threadpool(lambda: orjson.dumps(self._document()))
            etag = await etag_of(None, [encoded])
            self._content = Content([encoded], _HEADERS, etag, is_public=True)
        await send_content(request, send, self._content)


def document_route(document: Callable[[], dict[str, Any]]) -> Route:
    """The route of `/openapi.json`."""
    return Route(DOCUMENT_PATH, _DocumentApp(document), methods=["GET"])
