"""An application of this process behind a real HTTP server, for what needs real connections."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from chatapi.http.connections import KEEP_ALIVE_SECONDS, BoundedHttpProtocol
from tests.support.waiting import until


@asynccontextmanager
async def live_server(
    app: ASGIApp,
    protocol: type[BoundedHttpProtocol] = BoundedHttpProtocol,
    *,
    certificate: Path | None = None,
) -> AsyncIterator[str]:
    """The address of a server in this event loop; the application is already running.

    With a certificate (a PEM file that has its key, too) it speaks TLS.
    """
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            http=protocol,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            ssl_certfile=certificate,
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: server.started or serving.done())
        try:
            scheme = "http" if certificate is None else "https"
            yield "{}://{}:{}".format(scheme, *listening.getsockname())
        finally:
            server.force_exit = server.should_exit = True
            await serving
