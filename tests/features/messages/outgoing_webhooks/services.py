"""A service that bots call: a real HTTP server that records what it gets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.support.live_server import live_server

LOOPBACK = "127.0.0.1/32"


@dataclass
class RecordingService:
    """An ASGI application; tests set how it answers."""

    answer: Any = field(default_factory=lambda: {"response_not_required": True})
    """JSON, or bytes that are sent as they are."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    failures: int = 0
    """So many calls are answered with status 503 first."""
    calls: list[dict[str, Any]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    url: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.requests.append(request)
        self.calls.append(orjson.loads(await request.body()))
        if len(self.calls) <= self.failures:
            await Response(status_code=503)(scope, receive, send)
            return
        body = self.answer if isinstance(self.answer, bytes) else orjson.dumps(self.answer)
        await Response(body, self.status, self.headers)(scope, receive, send)


@asynccontextmanager
async def recording_service(certificate: Path | None = None) -> AsyncIterator[RecordingService]:
    """A service that is running; with a certificate it speaks TLS."""
    service = RecordingService()
    async with live_server(service, certificate=certificate) as url:
        service.url = f"{url}/hook"
        yield service
