"""An application of this process behind a real HTTP server, for what needs real connections."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from chatapi.http.connections import BoundedHttpProtocol
from tests.support.waiting import until


@asynccontextmanager
async def live_server(
    app: ASGIApp, protocol: type[BoundedHttpProtocol] = BoundedHttpProtocol
) -> AsyncIterator[str]:
    """The address of a server in this event loop; the application is already running."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, lifespan="off", log_config=None, http=protocol)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: server.started or serving.done())
        try:
            yield "http://{}:{}".format(*listening.getsockname())
        finally:
            server.force_exit = server.should_exit = True
            await serving
