"""Responses: the envelope around payloads and errors, encoded as bytes."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

import orjson
import structlog
from starlette.types import Send

from chatapi.core.cooperative import yield_to_event_loop
from chatapi.core.errors import ApiError
from chatapi.http.encoding import encode_in_steps
from chatapi.http.request import ApiRequest

log = structlog.get_logger()

_SUCCESS: dict[str, object] = {"result": "success", "msg": ""}
_JSON_HEADERS: list[tuple[bytes, bytes]] = [
    (b"content-type", b"application/json"),
    # A shared cache must never serve one reader's response to another.
    (b"cache-control", b"no-store, private"),
    (b"vary", b"Authorization, Accept, Host"),
    (b"x-content-type-options", b"nosniff"),
]


@dataclass(frozen=True)
class EventStream:
    """A response that continues until the client disconnects: server-sent events."""

    events: AsyncIterator[tuple[int, bytes]]
    """The id of each event, and its JSON."""


async def encode_success(payload: Mapping[str, object] | None, ignored: list[str]) -> list[bytes]:
    """Encode the success envelope, in chunks; `ignored` lists the unknown parameters."""
    envelope = _SUCCESS if payload is None else {**_SUCCESS, **payload}
    if ignored:
        envelope = {**envelope, "ignored_parameters_unsupported": ignored}
    return await encode_in_steps(envelope)


def encode_error(error: ApiError) -> bytes:
    return orjson.dumps(error.envelope())


async def send_json(request: ApiRequest, send: Send, status: int, chunks: Sequence[bytes]) -> None:
    request.response_started = True
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                *_JSON_HEADERS,
                (b"content-length", str(sum(map(len, chunks))).encode()),
                (b"x-request-id", request.request_id.encode()),
                *request.response_headers,
            ],
        }
    )
    *first, last = [b""] if request.method == "HEAD" else chunks
    for chunk in first:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        # A client that reads everything at once would keep other requests waiting.
        await yield_to_event_loop()
    await send({"type": "http.response.body", "body": last})


async def send_error(request: ApiRequest, send: Send, error: ApiError) -> None:
    request.response_headers += [
        (name.lower().encode(), value.encode()) for name, value in error.headers().items()
    ]
    await send_json(request, send, error.status, [encode_error(error)])


async def send_event_stream(request: ApiRequest, send: Send, stream: EventStream) -> None:
    """Send events until they end or the client disconnects."""
    request.response_started = True
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
