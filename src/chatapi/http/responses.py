"""Responses: JSON in the envelope, server-sent events and files."""

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from time import perf_counter
from typing import TypeVar
from urllib.parse import quote

import orjson
import structlog
from msgspec import Struct
from starlette.types import Send

from chatapi.core.cooperative import LoopBudget
from chatapi.core.errors import ApiError
from chatapi.files.media_types import DOWNLOAD_TYPE, inline_type
from chatapi.files.store import ByteRange
from chatapi.http.byte_ranges import requested_range
from chatapi.http.content import (
    Content,
    Headers,
    prepare_content,
    send_body,
    send_content,
)
from chatapi.http.etags import etag_of
from chatapi.http.request import ApiRequest
from chatapi.http.whole_responses import WholeResponse
from chatapi.wire.encoded import LargeJson, SharedBodies

Source = TypeVar("Source", bound=Hashable)
_OPTIONS = orjson.OPT_NON_STR_KEYS
_MAX_ITEMS = 100
"""A list or an object with more items is encoded in slices of this size."""
_CONTAINERS = (list, dict)
_MAYBE_LARGE = (*_CONTAINERS, LargeJson)
_DEPTH = 2
"""How deep to look for large lists and objects: in a response, and in its sections."""
_CHUNK_BYTES = 256 * 1024
_Part = bytes | memoryview
"""A small part of a response's JSON."""


log = structlog.get_logger()
_SUCCESS: dict[str, object] = {"result": "success", "msg": ""}
_JSON: Headers = (
    (b"content-type", b"application/json"),
    (b"vary", b"Authorization, Accept, Accept-Encoding, Host"),
    (b"x-content-type-options", b"nosniff"),
)
# A shared cache must never serve one reader's response to another.
JSON_HEADERS: Headers = (*_JSON, (b"cache-control", b"no-store, private"))
REVALIDATED_HEADERS: Headers = (*_JSON, (b"cache-control", b"private, no-cache"))
"""For responses with an ETag: the client may keep them, and asks each time whether they changed."""
_JSON_TYPE = "application/json"
_HEADERS: list[tuple[bytes, bytes]] = [
    (b"x-content-type-options", b"nosniff"),
    (
        b"content-security-policy",
        b"sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    ),
    (b"referrer-policy", b"no-referrer"),
]
_NO_CONTENT = (b"content-length", b"0")
_PRIVATE: list[tuple[bytes, bytes]] = [
    # A shared cache must never serve one reader's file to another.
    (b"cache-control", b"no-store, private"),
    (b"vary", b"Authorization, Host"),
]
_PUBLIC: list[tuple[bytes, bytes]] = [
    # A file with other content would have another URL.
    (b"cache-control", b"public, max-age=31536000, immutable"),
    (b"vary", b"Host"),
]


async def encode_in_steps(payload: Mapping[str, object]) -> list[bytes]:
    """Encode a response as JSON, in chunks: joining a large one would take long by itself.

    A response without a long list is encoded at once.
    """
    if not _is_large(payload, _DEPTH):
        return [orjson.dumps(payload, option=_OPTIONS)]
    chunks: list[bytes] = []
    pieces: list[_Part] = []
    size = 0
    budget = LoopBudget()
    for piece in _pieces(payload, _DEPTH):
        if isinstance(piece, LargeJson):
            chunks += b"".join(pieces), piece
            pieces, size = [], 0
            continue
        pieces.append(piece)
        size += len(piece)
        if size >= _CHUNK_BYTES:
            chunks.append(b"".join(pieces))
            pieces, size = [], 0
        if perf_counter() >= budget.deadline:
            await budget.renew()
    return [*chunks, b"".join(pieces)]


def _is_large(value: object, depth: int) -> bool:
    if not isinstance(value, _CONTAINERS):
        return isinstance(value, LargeJson)
    if len(value) > _MAX_ITEMS:
        return True
    if depth == 0 or isinstance(value, list):
        # Items of a list are alike, and each of them is small.
        return False
    for member in value.values():
        # Most members are small: a call for each of them would cost more than all else.
        if isinstance(member, LargeJson):
            return True
        if isinstance(member, _CONTAINERS) and (
            len(member) > _MAX_ITEMS or (isinstance(member, dict) and _is_large(member, depth - 1))
        ):
            return True
    return False


def _pieces(value: object, depth: int) -> Iterator[_Part | LargeJson]:
    """Yields the parts of a value's JSON, in order."""
    if isinstance(value, dict) and _is_large(value, depth):
        yield from _pieces_of_object(value, depth)
    elif isinstance(value, list) and _is_large(value, depth):
        yield from _pieces_of_list(value)
    elif isinstance(value, LargeJson):
        yield value
    else:
        yield orjson.dumps(value, option=_OPTIONS)


def _pieces_of_object(value: dict[object, object], depth: int) -> Iterator[_Part | LargeJson]:
    """Encode small members together, large ones separately."""
    opening = b"{"
    small: dict[object, object] = {}
    for name, member in value.items():
        if depth > 0 and isinstance(member, _MAYBE_LARGE) and _is_large(member, depth - 1):
            if small:
                yield opening
                yield _inside(small)
                opening, small = b",", {}
            yield opening
            yield _inside({name: None})[: -len(b"null")]
            yield from _pieces(member, depth - 1)
            opening = b","
            continue
        small[name] = member
        if len(small) >= _MAX_ITEMS:
            yield opening
            yield _inside(small)
            opening, small = b",", {}
    if small:
        yield opening
        yield _inside(small)
    yield b"}"


def _pieces_of_list(value: list[object]) -> Iterator[_Part]:
    opening = b"["
    for start in range(0, len(value), _MAX_ITEMS):
        yield opening
        yield _inside(value[start : start + _MAX_ITEMS])
        opening = b","
    yield b"]"


def _inside(value: dict[object, object] | list[object]) -> memoryview:
    """The JSON of a container without its brackets; not copied, since it may be large."""
    return memoryview(orjson.dumps(value, option=_OPTIONS))[1:-1]


class EventStream(Struct, frozen=True):
    """A response that continues until the client disconnects: server-sent events."""

    events: AsyncIterator[tuple[int, bytes]]
    """The id of each event, and its JSON."""


def encode_success(
    payload: Mapping[str, object] | None, ignored: list[str]
) -> Awaitable[list[bytes]]:
    """Encode the success envelope, in chunks; `ignored` lists the unknown parameters."""
    return encode_in_steps(_success(payload, ignored))


def _success(payload: Mapping[str, object] | None, ignored: list[str]) -> Mapping[str, object]:
    envelope = _SUCCESS if payload is None else {**_SUCCESS, **payload}
    if ignored:
        envelope = {**envelope, "ignored_parameters_unsupported": ignored}
    return envelope


def prepare_at_once(
    request: ApiRequest,
    payload_of: Callable[[Source], Mapping[str, object]],
    source: Source,
    bodies: SharedBodies,
) -> WholeResponse | None:
    """Prepare a successful response, to be sent while the task of the request waits.

    Returns None if it must be sent in the ordinary way. Many requests that get the same pass the
    same `bodies`, where it is encoded once. After it was sent the endpoint may return anything.
    """
    ignored = request.ignored_parameters
    key = (source, *ignored) if ignored else source
    body = bodies.get(key)
    if body is None:
        body = orjson.dumps(_success(payload_of(source), ignored), option=_OPTIONS)
        bodies[key] = body
    return prepare_content(request, JSON_HEADERS, body, bodies)


def encode_error(error: ApiError) -> bytes:
    return orjson.dumps(error.envelope())


def send_json(
    request: ApiRequest, send: Send, status: int, chunks: Sequence[bytes]
) -> Awaitable[None]:
    """Send JSON as it is; `send_content` is for successful responses, which may be compressed."""
    return send_body(request, send, status, JSON_HEADERS, chunks)


async def send_error(request: ApiRequest, send: Send, error: ApiError) -> None:
    request.response_headers += [
        (name.lower().encode(), value.encode()) for name, value in error.headers().items()
    ]
    await send_json(request, send, error.status, [encode_error(error)])


async def send_event_stream(request: ApiRequest, send: Send, stream: EventStream) -> None:
    """Send events until they end or the client disconnects."""
    request.response_status = 200
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", b"text/event-stream; charset=utf-8"),
                (b"cache-control", b"no-store, private"),
                (b"x-accel-buffering", b"no"),
                (b"x-request-id", request.request_id.encode()),
                *request.response_headers,
            ],
        }
    )
    if request.method == "HEAD":
        await send({"type": "http.response.body", "body": b""})
        return
    sending = asyncio.ensure_future(_send_events(send, stream))
    leaving = asyncio.ensure_future(request.wait_for_disconnect())
    try:
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        sending.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)


async def _send_events(send: Send, stream: EventStream) -> None:
    try:
        async for event_id, event in stream.events:
            chunk = b"id: %d\ndata: %s\n\n" % (event_id, event)
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    except ApiError as error:
        chunk = b"event: error\ndata: %s\n\n" % encode_error(error)
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    except Exception:
        # Too late for an error response: the client reconnects and gets the error then.
        log.exception("event_stream_failed")
    await send({"type": "http.response.body", "body": b"", "more_body": False})


class FileContent(Struct, frozen=True):
    """A file to be sent."""

    name: str
    content_type: str
    """The type that the uploading client declared."""
    size: int
    open: Callable[[ByteRange | None], AbstractAsyncContextManager[AsyncIterator[bytes]]]
    """Opens the whole file, or a part of it."""
    is_public: bool = False
    """Whether everyone may read it, and it never changes; the service itself has written it."""
    etag: str | None = None
    """Identifies the content, in quotes, so that a client can continue a download."""
    content: bytes | None = None
    """All of it, if it is in memory."""
    accel_path: str | None = None
    """Where the proxy finds the file, if the proxy is to send it (`CHATAPI_ACCEL_LOCATION`)."""

    @classmethod
    def small(
        cls, name: str, content_type: str, content: bytes, *, is_public: bool
    ) -> "FileContent":
        """A file that fits into memory."""

        @asynccontextmanager
        async def chunks(part: ByteRange | None) -> AsyncIterator[AsyncIterator[bytes]]:
            yield _once(content if part is None else content[part.first : part.last + 1])

        return cls(name, content_type, len(content), chunks, is_public, content=content)

    def headers(self, part: ByteRange | None) -> list[tuple[bytes, bytes]]:
        kind = self.content_type if self.is_public else inline_type(self.content_type, self.name)
        shown_kind = kind or DOWNLOAD_TYPE
        if shown_kind == "text/plain":
            shown_kind = "text/plain; charset=utf-8"
        disposition = "inline" if kind else "attachment"
        name = quote(self.name, safe="")
        headers = [
            (b"content-type", shown_kind.encode()),
            (b"content-disposition", f"{disposition}; filename*=UTF-8''{name}".encode()),
            *(_PUBLIC if self.is_public else _PRIVATE),
        ]
        if self.etag is not None:
            headers.append((b"etag", self.etag.encode()))
        if part is not None:
            place = f"bytes {part.first}-{part.last}/{self.size}"
            headers.append((b"content-range", place.encode()))
        return headers


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


class Redirect(Struct, frozen=True):
    """A response that sends the client to another address."""

    url: str


async def send_redirect(request: ApiRequest, send: Send, redirect: Redirect) -> None:
    request.response_headers.append((b"location", redirect.url.encode()))
    await send_json(request, send, HTTPStatus.FOUND, await encode_success({}, []))


async def send_file(request: ApiRequest, send: Send, file: FileContent) -> None:
    """Send a file, or the part of it that the request asks for.

    JSON that everyone may read is sent like other responses.
    """
    if file.is_public and file.content is not None and file.content_type == _JSON_TYPE:
        headers = (*file.headers(None), *_HEADERS, (b"vary", b"Accept-Encoding"))
        etag = await etag_of(None, [file.content])
        await send_content(request, send, Content([file.content], headers, etag, is_public=True))
        return
    part = requested_range(request, file.size, file.etag)
    if file.accel_path is not None and (part is not None or not request.header(b"range")):
        # The proxy reads the header again. Ranges that are ignored here may be errors there.
        accel = (b"x-accel-redirect", file.accel_path.encode())
        await _start_file(request, send, 200, [*file.headers(None), accel, _NO_CONTENT])
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return
    async with file.open(part) as chunks:
        size = file.size if part is None else part.size
        length = (b"content-length", str(size).encode())
        ranges = (b"accept-ranges", b"bytes")
        status = HTTPStatus.OK if part is None else HTTPStatus.PARTIAL_CONTENT
        await _start_file(request, send, status, [*file.headers(part), ranges, length])
        if request.method != "HEAD":
            async for chunk in chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _start_file(
    request: ApiRequest, send: Send, status: int, headers: list[tuple[bytes, bytes]]
) -> None:
    request.response_status = status
    request_id = (b"x-request-id", request.request_id.encode())
    all_headers = [*headers, *_HEADERS, request_id, *request.response_headers]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
