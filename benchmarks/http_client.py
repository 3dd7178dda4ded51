"""A small HTTP/1.1 client over asyncio streams, cheap enough not to be what is measured."""

import asyncio
import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

import orjson
from typing_extensions import override

_RETRY_SECONDS = 1.0
"""What the service says in `Retry-After`."""
_MAX_REFUSALS = 30


@dataclass(frozen=True)
class Account:
    """Who sends a request."""

    email: str
    api_key: str
    host: str = "127.0.0.1"
    """The host name of the organization, where there are several."""

    @property
    def header(self) -> str:
        token = base64.b64encode(f"{self.email}:{self.api_key}".encode()).decode()
        return f"Authorization: Basic {token}\r\n"


def build_request(
    method: str,
    path: str,
    account: Account | None = None,
    parameters: dict[str, object] | None = None,
    *,
    is_json: bool = False,
    etag: str = "",
) -> bytes:
    """The bytes of a request; parameters are a query or form, or with `is_json` a JSON body.

    `etag` names a response that the client has already.
    """
    encoded = urlencode(
        {
            name: value if isinstance(value, str) else orjson.dumps(value).decode()
            for name, value in (parameters or {}).items()
        }
    )
    body = b""
    head = f"{method} {path}"
    if method == "GET" and encoded:
        head += f"?{encoded}"
    elif encoded:
        body = orjson.dumps(parameters) if is_json else encoded.encode()
    head += f" HTTP/1.1\r\nHost: {account.host if account else '127.0.0.1'}\r\n"
    head += account.header if account else ""
    head += f"If-None-Match: {etag}\r\n" if etag else ""
    if body:
        kind = "application/json" if is_json else "application/x-www-form-urlencoded"
        head += f"Content-Type: {kind}\r\n"
    if method != "GET":
        head += f"Content-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


class UnavailableError(RuntimeError):
    """The server asks to try again later."""


class _StampedProtocol(asyncio.StreamReaderProtocol):
    """Notes when bytes arrive: of many answers at once, the last waits until others are read."""

    received_at = 0.0
    on_first_bytes: Callable[[], None] | None = None
    """Called once, with the next bytes."""

    @override
    def data_received(self, data: bytes) -> None:
        self.received_at = time.perf_counter()
        super().data_received(data)
        if self.on_first_bytes is not None:
            notify, self.on_first_bytes = self.on_first_bytes, None
            notify()


class Connection:
    """One kept-alive connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        protocol: _StampedProtocol,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._protocol = protocol
        self.etag = ""
        """Of the last answer, if it had one."""

    @classmethod
    async def open(cls, port: int) -> "Connection":
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=2**24, loop=loop)
        protocol = _StampedProtocol(reader, loop=loop)
        transport, _ = await loop.create_connection(lambda: protocol, "127.0.0.1", port)
        return cls(reader, asyncio.StreamWriter(transport, protocol, reader, loop), protocol)

    @property
    def received_at(self) -> float:
        """When the last bytes arrived, by `time.perf_counter`."""
        return self._protocol.received_at

    async def send(self, request: bytes) -> bytes:
        """The body of the answer; anything but 200 or 304 ends the run."""
        self.ask(request)
        return await self.answer()

    def ask(self, request: bytes, on_first_bytes: Callable[[], None] | None = None) -> None:
        """Send a request whose answer is read later."""
        self._protocol.on_first_bytes = on_first_bytes
        self._writer.write(request)

    async def answer(self) -> bytes:
        """What `send` returns, of the request that was sent last."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 304"):
            return b""
        body = await self._reader.readexactly(int(_header(head, b"content-length")))
        if not head.startswith(b"HTTP/1.1 200"):
            is_unavailable = head.startswith(b"HTTP/1.1 503")
            problem = UnavailableError if is_unavailable else RuntimeError
            raise problem(f"{head.decode()}{body.decode()}")
        self.etag = _header(head, b"etag").decode()
        return body

    async def insist(self, request: bytes) -> int:
        """Send it again while the server is unavailable; returns how often that was the case."""
        for refusals in range(_MAX_REFUSALS):
            try:
                await self.send(request)
            except UnavailableError:
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return refusals
        raise UnavailableError(f"refused {_MAX_REFUSALS} times")

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


def _header(head: bytes, name: bytes) -> bytes:
    """The value of a header, empty if there is none."""
    for line in head.split(b"\r\n"):
        found, _, value = line.partition(b": ")
        if found.lower() == name:
            return value
    return b""
