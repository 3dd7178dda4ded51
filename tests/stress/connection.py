"""Requests to servers, each of which may be down at any moment."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

import httpx

from chatapi.core.errors import UnavailableError
from chatapi.http.route import API_PREFIX
from tests.factories import Person
from tests.support.client import basic_auth, encode_form

TRY_AGAIN_SECONDS = 0.05


class Connection:
    """One user's connection to the servers; each request goes to a random one."""

    def __init__(self, servers: list[httpx.AsyncClient], person: Person) -> None:
        self._servers = servers
        self._chance = random.Random(person.user_id)
        self.person = person

    async def call(self, method: str, path: str, **params: object) -> dict[str, Any] | None:
        """The response, or None when the outcome is unknown: it was lost, or the server is busy."""
        return await self.call_with_headers({}, method, path, **params)

    async def call_with_headers(
        self, headers: Mapping[str, str], method: str, path: str, **params: object
    ) -> dict[str, Any] | None:
        form = encode_form(params)
        is_read = method == "GET"
        try:
            response = await self._chance.choice(self._servers).request(
                method,
                API_PREFIX + path,
                auth=basic_auth(self.person),
                headers=headers,
                params=form if is_read else None,
                data=None if is_read else form,
            )
        except httpx.TransportError:
            await asyncio.sleep(TRY_AGAIN_SECONDS)
            return None
        answer: dict[str, Any] = response.json()
        if answer.get("code") == UnavailableError.code:
            await asyncio.sleep(TRY_AGAIN_SECONDS)
            return None
        assert response.status_code in {200, 400}, answer
        return answer

    async def insist(self, method: str, path: str, **params: object) -> dict[str, Any]:
        """Repeat the same call until a response comes back."""
        while (answer := await self.call(method, path, **params)) is None:
            pass
        return answer
