"""The client of random histories."""

from http import HTTPStatus
from typing import Any

from typing_extensions import override

from tests.factories import Person
from tests.support.asgi_requests import RawResponse
from tests.support.client import ApiClient, response_of
from tests.support.responses import ApiResponse

_MAX_REFUSALS = 5


class QuickClient(ApiClient):
    """Checks no response against the document: other tests do, and this one sends many requests.

    Requests that are refused because the machine is too busy (503) are sent again, as the response
    tells clients to do.
    """

    @override
    async def send(
        self, method: str, path: str, as_: Person | None = None, **params: Any
    ) -> ApiResponse:
        for _ in range(_MAX_REFUSALS):
            response = await super().send(method, path, as_, **params)
            if response.status != HTTPStatus.SERVICE_UNAVAILABLE:
                return response
        return await super().send(method, path, as_, **params)

    @override
    def check(self, method: str, path: str, response: RawResponse) -> ApiResponse:
        return response_of(response)
