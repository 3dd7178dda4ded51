"""Connections with limits: clients that send or read too slowly are disconnected."""

import asyncio
from functools import lru_cache
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import httptools
import orjson
from typing_extensions import override
from uvicorn._types import ASGIVersions
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import new_request_id
from chatapi.core.timer_wheel import TimerWheel
from chatapi.http.quiet_events import QuietEvent, QuietFlowControl
from chatapi.http.responses import JSON_HEADERS
from chatapi.http.whole_responses import CYCLE

KEEP_ALIVE_SECONDS = 75
"""Longer than the minute for which proxies usually keep a connection open."""
_MAX_HEAD_BYTES = 64 * 1024
_MAX_PATH_LENGTH = 4096
_ASGI: ASGIVersions = {"version": "3.0", "spec_version": "2.3"}
"""The same for all requests; uvicorn makes a dictionary for each."""
_LARGE_HEAD = f"The address and the headers are larger than {_MAX_HEAD_BYTES} bytes"
_LONG_PATH = f"The path is longer than {_MAX_PATH_LENGTH} characters"


@lru_cache(maxsize=64)
def _shared_address(address: tuple[str, int | None] | None) -> tuple[str, int | None] | None:
    return address


def _new_parser(protocol: HttpToolsProtocol) -> httptools.HttpRequestParser:
    """Return a parser as uvicorn makes one for each connection."""
    parser = httptools.HttpRequestParser(protocol)
    parser.set_dangerous_leniencies(lenient_data_after_close=True)
    return parser


class _Pipeline(list[Any]):
    """Requests that wait for the one before them; a deque has room for 64 from the start."""

    __slots__ = ()

    def appendleft(self, request: object) -> None:
        self.insert(0, request)


class BoundedHttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol, with a time limit for each request and a size limit for its head.

    A connection is checked every few seconds, which costs a request nothing. Only bytes that are
    expected of the client count: while a response is being computed, or a poll waits, nothing ends
    the connection.

    There are thousands of connections whose polls wait, so each takes as little memory as possible:
    slots, since a dictionary with more attributes than uvicorn's own would not share its keys, no
    deque for further requests, which takes 700 bytes when it is empty, and a parser, which takes
    1,000 bytes, only while a request arrives. To create one takes half a microsecond.
    """

    __slots__ = (
        "_checked_with",
        "_chunk",
        "_is_in_body",
        "_is_in_request",
        "_problem",
        "_received",
        "_unsent",
        "_unsent_since",
        "_waits_for_head_since",
        "_was_in_body",
    )

    check_seconds: ClassVar[float] = 10
    head_seconds: ClassVar[float] = 20
    """Time limit for the head of a request, and for a new connection to send its first bytes."""
    body_bytes_per_check: ClassVar[int] = 4 * 1024
    """If a body arrives more slowly, the connection is closed."""

    answer_seconds: ClassVar[float] = 600
    """Time limit for a client that reads a response slowly."""

    _checks: ClassVar["WeakKeyDictionary[ServerState, TimerWheel[BoundedHttpProtocol]]"] = (
        WeakKeyDictionary()
    )
    """The next checks of all connections of a server."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 (uvicorn's)
        super().__init__(*arguments, **options)
        # As configured. uvicorn asks whether anything listens to its logger, as a test runner does.
        self.access_log = self.config.access_log
        self.pipeline = _Pipeline()  # type: ignore[assignment]  # all of a deque that is used
        self._waits_for_head_since: float | None = None
        self._is_in_request = False
        """Whether a part of a request has arrived, and the rest has not."""
        self._is_in_body = False
        self._received = 0
        """Bytes since the last head or body was complete, or since the last check of a body."""
        self._chunk = 0
        """Size of the last chunk; it may hold the end of one request and the head of the next."""
        self._was_in_body = False
        """The value of `_is_in_body` at the last check."""
        self._unsent = 0
        """Bytes of responses the client had not read at the last check."""
        self._unsent_since: float | None = None
        """When a response was first seen to wait for the client."""
        self._checked_with: set[BoundedHttpProtocol] = set()
        """All connections that are checked together with this one the next time."""
        self._problem: str | None = None
        """Why the parser was ended, if it was not the parser itself that found a fault."""

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(transport)
        self.flow = QuietFlowControl(transport)
        # The same object for all connections to an address of the server.
        self.server = _shared_address(self.server)
        self._waits_for_head_since = self.loop.time()
        self._check_later()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._checked_with.discard(self)
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        self._chunk = len(data)
        self._received += self._chunk
        if not self._is_in_request:
            self.parser = _new_parser(self)
        super().data_received(data)
        if not self._is_in_request:
            self.parser = None  # type: ignore[assignment]  # the next request gets one of its own
        is_head = self._waits_for_head_since is not None
        if is_head and self._received > _MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response(_LARGE_HEAD)

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_request = True
        now = self.loop.time()
        if self._waits_for_head_since is None or self._waits_for_head_since > now:
            self._waits_for_head_since = now

    @override
    def on_headers_complete(self) -> None:
        if max(self._received, self._chunk) > _MAX_HEAD_BYTES:
            self._check_head()
        if len(self.url) > _MAX_PATH_LENGTH and len(self.url.partition(b"?")[0]) > _MAX_PATH_LENGTH:
            self._refuse(_LONG_PATH)
        self._waits_for_head_since = None
        self._is_in_body = True
        self._received = 0
        self.scope["asgi"] = _ASGI
        super().on_headers_complete()
        # The scope has its parts.
        self.url = b""
        # No task has waited for it yet: the task of the request begins after this.
        self.cycle.message_event = QuietEvent()  # type: ignore[assignment]  # all that is used of it
        # A key of the scope that ASGI leaves to servers and applications which know each other.
        self.scope[CYCLE] = self.cycle  # type: ignore[literal-required]

    def _check_head(self) -> None:
        """Check the head by itself: the bytes received may include the beginning of a body."""
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > _MAX_HEAD_BYTES:
            self._refuse(_LARGE_HEAD)

    def _refuse(self, problem: str) -> None:
        """End parsing; the caller of the parser then calls `send_400_response`."""
        self._problem = problem
        raise ValueError(problem)

    @override
    def send_400_response(self, msg: str) -> None:
        """Send an error like all others, for a request that reached no route; then disconnect."""
        error = BadRequestError(self._problem or msg)
        body = orjson.dumps(error.envelope())
        headers = [
            *JSON_HEADERS,
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", new_request_id().encode()),
            (b"connection", b"close"),
        ]
        lines = [b"HTTP/1.1 400 Bad Request", *(b"%b: %b" % header for header in headers)]
        self.transport.write(b"\r\n".join([*lines, b"", body]))
        self.transport.close()

    @override
    def on_message_complete(self) -> None:
        self._is_in_request = self._is_in_body = False
        self._received = 0
        super().on_message_complete()

    @override
    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_in_body and not self.pipeline and self._waits_for_head_since is None:
            # Blank lines between requests cancel uvicorn's keep-alive timeout, but not this one.
            self._waits_for_head_since = self.loop.time() + self.timeout_keep_alive

    def _check_later(self) -> None:
        checks = self._checks.get(self.server_state)
        if checks is None:
            checks = self._checks[self.server_state] = TimerWheel(
                BoundedHttpProtocol._check, self.check_seconds
            )
        self._checked_with = checks.add(self, self.loop.time() + self.check_seconds)

    def _check(self) -> None:
        if self._keeps_us_waiting():
            self.transport.abort()
        if not self.transport.is_closing():
            self._check_later()

    def _keeps_us_waiting(self) -> bool:
        since = self._waits_for_head_since
        if since is not None and self.loop.time() - since > self.head_seconds:
            return True
        return self._sends_too_slowly() or self._takes_nothing() or self._takes_too_long()

    def _sends_too_slowly(self) -> bool:
        was_in_body, self._was_in_body = self._was_in_body, self._is_in_body
        if not self._is_in_body or self.flow.read_paused:
            return False
        received, self._received = self._received, 0
        return was_in_body and received < self.body_bytes_per_check

    def _takes_nothing(self) -> bool:
        """Whether a response waits for a client that has read nothing since the last check."""
        unsent = self.transport.get_write_buffer_size()
        before, self._unsent = self._unsent, unsent
        return self.flow.write_paused and 0 < before <= unsent

    def _takes_too_long(self) -> bool:
        """Whether a response has exceeded the write buffers for too long."""
        if not self.flow.write_paused:
            self._unsent_since = None
            return False
        now = self.loop.time()
        self._unsent_since = now if self._unsent_since is None else self._unsent_since
        return now - self._unsent_since > self.answer_seconds
