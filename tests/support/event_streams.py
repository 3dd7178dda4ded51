"""Reading server-sent events over real connections."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import orjson

from tests.support.client import basic_auth
from tests.support.listening import Listener
from tests.support.waiting import MAX_WAIT_SECONDS


@dataclass(frozen=True)
class Message:
    """One server-sent event."""

    kind: str
    id: str | None
    data: dict[str, Any]


async def messages(response: httpx.Response) -> AsyncIterator[Message]:
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Message(
                fields.get("event", "message"), fields.get("id"), orjson.loads(fields["data"])
            )
            fields = {}


class Streams:
    """Opens streams on a server."""

    def __init__(self, url: str) -> None:
        self._url = url

    @asynccontextmanager
    async def open(
        self, listener: Listener, resume_after: str | None = None
    ) -> AsyncIterator[httpx.Response]:
        headers = {"Accept": "text/event-stream"}
        if resume_after is not None:
            headers["Last-Event-ID"] = resume_after
        params = {"queue_id": listener.queue_id, "last_event_id": str(listener.last_event_id)}
        auth = basic_auth(listener.person)
        async with (
            httpx.AsyncClient(base_url=self._url, auth=auth, timeout=MAX_WAIT_SECONDS) as http,
            http.stream("GET", "/api/v1/events", params=params, headers=headers) as response,
        ):
            yield response
