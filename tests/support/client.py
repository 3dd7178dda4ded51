"""A client of the protocol: email and API key, strings raw, everything else as JSON."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import httpx
import orjson
from starlette.types import ASGIApp

from chatapi.http.route import API_PREFIX
from tests.factories import Person
from tests.support.asgi_requests import (
    FORM_TYPE,
    Headers,
    RawResponse,
    authorization,
    http_scope,
    send_request,
)
from tests.support.documented_responses import assert_response_is_documented
from tests.support.responses import ApiResponse

HOST = "localhost"
TEST_ROUTES = "/test/"
"""The prefix of endpoints that tests add; they are in no OpenAPI document."""
_PLAIN_PATH = re.compile(r"[\w/.@+-]*", re.ASCII)
"""A path that is sent as it is; any other is encoded by httpx."""


def encode_form(values: Mapping[str, object]) -> dict[str, str]:
    """Form fields of the protocol: a string is itself, any other value its JSON."""
    return {
        name: value if isinstance(value, str) else orjson.dumps(value).decode()
        for name, value in values.items()
    }


def basic_auth(person: Person | None) -> httpx.BasicAuth | None:
    return None if person is None else httpx.BasicAuth(person.email, person.api_key)


def response_of(raw: RawResponse) -> ApiResponse:
    return ApiResponse(raw.status, orjson.loads(raw.body), httpx.Headers(raw.headers))


class ApiClient:
    """Talks to an application inside this process; `http` is for raw requests.

    The methods named after those of HTTP send forms and queries straight to the application.
    """

    def __init__(self, app: ASGIApp, host: str = HOST) -> None:
        # A server error must come back as a response, as it would through a real server.
        self.app = app
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url=f"http://{host}", timeout=30)

    async def get(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.send("GET", path, as_, query=params)

    async def post(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.send("POST", path, as_, form=params)

    async def put(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.send("PUT", path, as_, form=params)

    async def patch(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.send("PATCH", path, as_, form=params)

    async def delete(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.send("DELETE", path, as_, form=params)

    async def send(
        self,
        method: str,
        path: str,
        as_: Person | None = None,
        *,
        query: Mapping[str, object] | None = None,
        form: Mapping[str, object] | None = None,
    ) -> ApiResponse:
        """A request below the API's prefix with a query or a form."""
        query, form = encode_form(query or {}), encode_form(form or {})
        if not _PLAIN_PATH.fullmatch(path):
            return await self.call(method, path, as_, params=query, data=form)
        body = urlencode(form).encode()
        scope = http_scope(
            method,
            API_PREFIX + path,
            self.http.base_url.host,
            self._headers(as_, body),
            query=urlencode(query).encode(),
        )
        response = RawResponse()
        with suppress(Exception):  # the application's; the response says so
            await send_request(self.app, scope, [body], response)
        return self.check(scope["method"], scope["path"], response)

    def _headers(self, person: Person | None, body: bytes) -> Headers:
        """Those that `http` would send, except that no response is compressed."""
        headers = [
            (name.lower(), value)
            for name, value in self.http.headers.raw
            if name.lower() != b"accept-encoding"
        ]
        if "host" not in self.http.headers:
            headers.insert(0, (b"host", self.http.base_url.netloc))
        if body:
            headers += [(b"content-type", FORM_TYPE), (b"content-length", b"%d" % len(body))]
        if person is not None:
            headers = [each for each in headers if each[0] != b"authorization"]
            headers.append(authorization(person))
        return headers

    async def call(
        self,
        method: str,
        path: str,
        as_: Person | None = None,
        **request: Any,
    ) -> ApiResponse:
        """Any request below the API's prefix, with httpx's own arguments."""
        response = await self.http.request(
            method, API_PREFIX + path, auth=basic_auth(as_), **request
        )
        return self.read(response)

    def read(self, response: httpx.Response) -> ApiResponse:
        """The response to a raw request, checked against the OpenAPI document."""
        raw = RawResponse(response.status_code, response.headers.raw, [response.content])
        return self.check(response.request.method, response.request.url.path, raw)

    def check(self, method: str, path: str, response: RawResponse) -> ApiResponse:
        """The response, checked against the OpenAPI document."""
        received = response_of(response)
        content_type = received.headers["content-type"]
        assert content_type == "application/json"
        if not path.startswith(API_PREFIX + TEST_ROUTES):
            assert_response_is_documented(
                method, path, received.status, content_type, received.body
            )
        return received

    async def aclose(self) -> None:
        await self.http.aclose()
