"""A second server for the metrics alone, on a port that the proxy does not pass on."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager

from starlette.applications import Starlette
from starlette.routing import Route
from typing_extensions import override
from uvicorn.config import Config
from uvicorn.server import Server


class _SecondServer(Server):
    """Leaves the signals to the server of the API, which ends this one."""

    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serve_separately(route: Route, host: str, port: int) -> AsyncGenerator[None, None]:
    """Serve a route on a port of its own until the block ends."""
    config = Config(
        Starlette(routes=[route]),
        host=host,
        port=port,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
    )
    server = _SecondServer(config)
    serving = asyncio.create_task(server.serve())
    try:
        yield
    finally:
        server.should_exit = True
        await serving
