"""A small HTTP/1.1 client, cheap enough not to be what is measured."""

import asyncio
import base64
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

import orjson
from typing_extensions import override

_RETRY_SECONDS = 1.0
"""What the service says in `Retry-After`."""
_MAX_REFUSALS = 30
_INBOX_BYTES = 4 * 1024
"""Larger than the head of any response, with what of the body arrives with it."""
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
_ETAG = re.compile(rb"\r\netag: ([^\r]+)", re.IGNORECASE)


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


class Connection(asyncio.BufferedProtocol):
    """One kept-alive connection, with one request at a time.

    What arrives is received where it stays: the server shares its cores with its clients, which
    read hundreds of bodies of 780 KB.
    """

    received_at = 0.0
    """When the last bytes arrived, by `time.perf_counter`."""
    etag = ""
    """Of the last response, if it had one."""

    def __init__(self) -> None:
        self._inbox = bytearray(_INBOX_BYTES)
        self._filled = 0
        self._body: bytearray | None = None
        """The body, while it is not complete."""
        self._head = b""
        self._response: asyncio.Future[bytearray] | None = None
        self._on_first_bytes: Callable[[], None] | None = None
        self._transport: asyncio.Transport

    @classmethod
    async def open(cls, port: int) -> "Connection":
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(cls, "127.0.0.1", port)
        return connection

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self._response is not None and not self._response.done():
            self._response.set_exception(exc or ConnectionResetError("closed by the server"))

    @override
    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(self._inbox if self._body is None else self._body)[self._filled :]

    @override
    def buffer_updated(self, nbytes: int) -> None:
        self.received_at = time.perf_counter()
        self._filled += nbytes
        if self._body is None:
            self._begin_body()
        if self._body is not None and self._filled == len(self._body):
            self._complete(self._body)
        if self._on_first_bytes is not None:
            notify, self._on_first_bytes = self._on_first_bytes, None
            notify()

    async def send(self, request: bytes) -> bytearray:
        """The body of the response; anything but 200 or 304 ends the run."""
        self.ask(request)
        return await self.answer()

    def ask(self, request: bytes, on_first_bytes: Callable[[], None] | None = None) -> None:
        """Send a request whose response is read later."""
        if self._transport.is_closing():
            raise ConnectionResetError("closed by the server")
        self._on_first_bytes = on_first_bytes
        self._response = asyncio.get_running_loop().create_future()
        self._transport.write(request)

    async def answer(self) -> bytearray:
        """What `send` returns, of the request that was sent last."""
        if self._response is None:
            raise RuntimeError("send a request first")
        body = await self._response
        if self._is_unchanged:
            return body
        if not self._head.startswith(b"HTTP/1.1 200"):
            is_unavailable = self._head.startswith(b"HTTP/1.1 503")
            problem = UnavailableError if is_unavailable else RuntimeError
            raise problem(f"{self._head.decode()}{body.decode()}")
        etag = _ETAG.search(self._head)
        self.etag = etag[1].decode() if etag else ""
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

    def close(self) -> None:
        """Close it, also while a response is awaited that nobody reads any more."""
        if self._response is not None:
            self._response.cancel()
        self._transport.close()

    @property
    def _is_unchanged(self) -> bool:
        return self._head.startswith(b"HTTP/1.1 304")

    def _begin_body(self) -> None:
        """Read the head, once it is complete; more bytes go to the body."""
        end = self._inbox.find(b"\r\n\r\n", 0, self._filled) + 4
        if end < 4:
            return
        self._head = bytes(self._inbox[:end])
        length = None if self._is_unchanged else _LENGTH.search(self._head)
        self._body = bytearray(int(length[1]) if length else 0)
        self._filled -= end
        self._body[: self._filled] = self._inbox[end : end + self._filled]

    def _complete(self, body: bytearray) -> None:
        self._body, self._filled = None, 0
        if self._response is not None and not self._response.done():
            self._response.set_result(body)
