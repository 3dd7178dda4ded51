"""Sends a body in the form that suits the client: as it is, compressed, or not at all."""

from collections.abc import Callable, Sequence
from http import HTTPStatus

from msgspec import Struct
from starlette.types import Send

from chatapi.core.cooperative import yield_to_event_loop
from chatapi.http.accept_encoding import choose_coding
from chatapi.http.compression import CODINGS, MIN_BYTES, ResponseCompressor, compress
from chatapi.http.etags import is_listed
from chatapi.http.request import ApiRequest
from chatapi.http.whole_responses import MAX_BYTES, Header, WholeResponse, whole_response
from chatapi.wire.encoded import SharedBodies

Headers = tuple[Header, ...]

_OF_BODY = frozenset({b"content-type", b"content-disposition"})
"""Headers that a response without a body does not have."""


class CompressionPolicy(Struct, frozen=True):
    """Whether a response may be compressed for a request, and what compresses it."""

    compressor: ResponseCompressor
    is_from_other_site: Callable[[ApiRequest], bool]
    """Whether a page of another site sent the request, with credentials that a browser added.

    Such a page could have its guesses at the content compressed together with the content, again
    and again, and an observer of the sizes would learn which of them are right (BREACH).
    """

    def coding_for(self, request: ApiRequest, *, is_public: bool) -> str | None:
        """Returns the coding to compress with; None if the response is to be sent as it is."""
        coding = choose_coding(request.all_of_header(b"accept-encoding"), CODINGS)
        if coding is None or (not is_public and self.is_from_other_site(request)):
            return None
        return coding

    async def compress(
        self, request: ApiRequest, chunks: Sequence[bytes], size: int, *, is_public: bool
    ) -> tuple[str, Sequence[bytes]] | None:
        """Returns coding and compressed body; None if the response is to be sent as it is."""
        coding = self.coding_for(request, is_public=is_public)
        if coding is None:
            return None
        compressed = await self.compressor.compress(coding, chunks, size)
        # Not smaller: random text, or too many other responses are being compressed.
        return (coding, compressed) if _size_of(compressed) < size else None


class Content(Struct, frozen=True):
    """The body of a successful response, and what may be done to send less of it."""

    chunks: Sequence[bytes]
    headers: Headers
    """Without those that depend on the request; `Vary` names Accept-Encoding."""
    etag: str | None = None
    """Names the content for requests with If-None-Match."""
    is_compressible: bool = True
    is_public: bool = False
    """Whether the content is the same for everyone: its size reveals nothing."""


async def send_content(request: ApiRequest, send: Send, content: Content) -> None:
    """Send a successful response: compressed if the client accepts that, 304 if it has it."""
    headers, chunks = content.headers, content.chunks
    further: list[Header] = []
    if content.etag is not None:
        further.append((b"etag", content.etag.encode()))
        if request.is_get and is_listed(content.etag, request.all_of_header(b"if-none-match")):
            await _send_not_modified(request, send, (*headers, *further))
            return
    size = _size_of(chunks)
    if size >= MIN_BYTES and content.is_compressible:
        policy: CompressionPolicy = request.scope["compression"]
        compressed = await policy.compress(request, chunks, size, is_public=content.is_public)
        if compressed is not None:
            coding, chunks = compressed
            further.append((b"content-encoding", coding.encode()))
    await send_body(request, send, HTTPStatus.OK, headers, chunks, further=further)


async def send_body(
    request: ApiRequest,
    send: Send,
    status: int,
    headers: Headers,
    chunks: Sequence[bytes],
    *,
    further: Sequence[Header] = (),
) -> None:
    """Send a body as it is, in chunks; a HEAD gets only the headers.

    `headers` are those that many responses have, `further` those of this one.
    """
    if len(chunks) == 1 and send_body_at_once(request, status, headers, chunks[0], further=further):
        return
    request.response_status = status
    further = _with_headers_of(request, further)
    length = (b"content-length", b"%d" % _size_of(chunks))
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*headers, length, *further],
        }
    )
    if request.method == "HEAD":
        chunks = [b""]
    for chunk in chunks[:-1]:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        # A client that reads everything at once would keep other requests waiting.
        await yield_to_event_loop()
    await send({"type": "http.response.body", "body": chunks[-1]})


def send_body_at_once(
    request: ApiRequest,
    status: int,
    headers: Headers,
    body: bytes,
    *,
    further: Sequence[Header] = (),
) -> bool:
    """Send a whole response; returns False if only `send_body` can send it, and sends nothing."""
    response = prepare_body(request, status, headers, body, further=further)
    if response is None:
        return False
    response.write()
    response.finish()
    return True


def prepare_body(
    request: ApiRequest,
    status: int,
    headers: Headers,
    body: bytes,
    *,
    further: Sequence[Header] = (),
) -> WholeResponse | None:
    """Prepare a whole response, to be sent at once; None if only `send_body` can send it."""
    if len(body) > MAX_BYTES or request.cycle is None or request.method == "HEAD":
        return None
    if request.cors is not None:
        headers = request.cors.add_to(headers, request)
    response = whole_response(
        request.cycle, status, headers, _with_headers_of(request, further), body
    )
    if response is not None:
        request.response_status = status
    return response


def prepare_content(
    request: ApiRequest, headers: Headers, body: bytes, bodies: SharedBodies
) -> WholeResponse | None:
    """Prepare a successful response that others get as well; it is compressed once for all of them.

    Returns None if only `send_content` can send it.
    """
    further: Sequence[Header] = ()
    if MIN_BYTES <= len(body) <= MAX_BYTES and not repeats_names_of_link(request):
        policy: CompressionPolicy = request.scope["compression"]
        coding = policy.coding_for(request, is_public=False)
        if coding is not None:
            compressed = bodies.get((coding, body))
            if compressed is None:
                compressed = bodies[coding, body] = b"".join(compress(coding, [body]))
            if len(compressed) < len(body):
                body, further = compressed, ((b"content-encoding", coding.encode()),)
    return prepare_body(request, HTTPStatus.OK, headers, body, further=further)


def repeats_names_of_link(request: ApiRequest) -> bool:
    """Whether a response contains names of unknown parameters which a link may have chosen.

    It is not compressed then: somebody who makes others follow links would learn from its size.
    """
    return bool(request.ignored_parameters) and request.is_get


def _with_headers_of(request: ApiRequest, further: Sequence[Header]) -> list[Header]:
    return [
        *further,
        (b"x-request-id", request.request_id.encode()),
        *request.response_headers,
    ]


async def _send_not_modified(request: ApiRequest, send: Send, headers: Headers) -> None:
    request.response_status = HTTPStatus.NOT_MODIFIED
    await send(
        {
            "type": "http.response.start",
            "status": HTTPStatus.NOT_MODIFIED,
            "headers": [
                *(header for header in headers if header[0] not in _OF_BODY),
                (b"x-request-id", request.request_id.encode()),
                *request.response_headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": b""})


def _size_of(chunks: Sequence[bytes]) -> int:
    return sum(map(len, chunks))
