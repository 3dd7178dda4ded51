"""The existing Python client, called from an event loop."""

import asyncio
from collections.abc import Callable
from typing import Any

import zulip

from tests.factories import Person

ApiResponse = dict[str, Any]


class _EnoughError(Exception):
    """Raised by a callback to end a loop that never ends otherwise."""


class Client:
    """The client blocks, so each of its calls runs in a thread of its own."""

    def __init__(self, client: zulip.Client) -> None:
        self._client = client

    async def call(
        self, method: Callable[..., ApiResponse], *args: Any, **kwargs: Any
    ) -> ApiResponse:
        return await asyncio.to_thread(method, self._client, *args, **kwargs)

    async def succeed(
        self, method: Callable[..., ApiResponse], *args: Any, **kwargs: Any
    ) -> ApiResponse:
        response = await self.call(method, *args, **kwargs)
        assert response["result"] == "success", response
        return response

    async def hear(
        self, method: Callable[..., None], count: int, *args: Any, **kwargs: Any
    ) -> list[ApiResponse]:
        """The events or messages passed to the callback, until there are enough."""
        heard: list[ApiResponse] = []

        def take(something: ApiResponse) -> None:
            heard.append(something)
            if len(heard) == count:
                raise _EnoughError

        try:
            await asyncio.to_thread(method, self._client, take, *args, **kwargs)
        except _EnoughError:
            return heard
        raise AssertionError("the client stopped listening")


async def connect(url: str, person: Person, api_key: str | None = None) -> Client:
    def construct() -> zulip.Client:
        return zulip.Client(email=person.email, api_key=api_key or person.api_key, site=url)

    return Client(await asyncio.to_thread(construct))
