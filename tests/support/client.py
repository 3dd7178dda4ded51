"""A client of the protocol: email and API key, strings raw, everything else as JSON."""

from collections.abc import Mapping
from typing import Any

import httpx
import orjson
from starlette.types import ASGIApp

from chatapi.http.route import API_PREFIX
from tests.factories import Person
from tests.support.documented_responses import assert_response_is_documented
from tests.support.responses import ApiResponse

HOST = "localhost"
TEST_ROUTES = "/test/"
"""The prefix of endpoints that tests add; they are in no OpenAPI document."""


def encode_form(values: Mapping[str, object]) -> dict[str, str]:
    """Form fields of the protocol: a string is itself, any other value its JSON."""
    return {
        name: value if isinstance(value, str) else orjson.dumps(value).decode()
        for name, value in values.items()
    }


def basic_auth(person: Person | None) -> httpx.BasicAuth | None:
    return None if person is None else httpx.BasicAuth(person.email, person.api_key)


class ApiClient:
    """Talks to an application inside this process; `http` is for raw requests."""

    def __init__(self, app: ASGIApp, host: str = HOST) -> None:
        # A server error must come back as a response, as it would through a real server.
        self.app = app
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url=f"http://{host}", timeout=30)

    async def get(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.call("GET", path, as_, params=encode_form(params))

    async def post(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.call("POST", path, as_, data=encode_form(params))

    async def put(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.call("PUT", path, as_, data=encode_form(params))

    async def patch(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.call("PATCH", path, as_, data=encode_form(params))

    async def delete(self, path: str, as_: Person | None = None, **params: object) -> ApiResponse:
        return await self.call("DELETE", path, as_, data=encode_form(params))

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
        """The response, checked against the OpenAPI document."""
        content_type = response.headers["content-type"]
        assert content_type == "application/json"
        request = response.request
        body: dict[str, Any] = response.json()
        if not request.url.path.startswith(API_PREFIX + TEST_ROUTES):
            assert_response_is_documented(
                request.method, request.url.path, response.status_code, content_type, body
            )
        return ApiResponse(response.status_code, body, response.headers)

    async def aclose(self) -> None:
        await self.http.aclose()
