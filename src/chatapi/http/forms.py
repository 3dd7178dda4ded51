"""Parameter parsing for all endpoints: query string, urlencoded and multipart, on every method."""

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass

from chatapi.core.errors import BadRequestError, RequestTooLargeError
from chatapi.http.multipart import MAX_FIELDS, parse_multipart
from chatapi.http.request import ApiRequest, BodyLimits
from chatapi.http.urlencoding import TooManyStraysError, decode_pairs
from chatapi.wire.files import UploadedFile

_URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


@dataclass(frozen=True)
class Form:
    """The parameters of a request, and perhaps a file."""

    values: dict[str, str]
    file: UploadedFile | None = None
    ignored: frozenset[str] = frozenset()
    """Names of parameters that are ignored because of their place: in the body of a GET."""

    def fingerprint(self) -> dict[str, str]:
        """The values that distinguish this request from another one, for idempotency keys."""
        if self.file is None:
            return self.values
        return {**self.values, "file": self.file.digest, "file name": self.file.name}

    def close(self) -> None:
        if self.file is not None:
            self.file.content.close()


async def read_form(request: ApiRequest, limits: BodyLimits) -> Form:
    """Read all parameters. The body overrides the query, a later value an earlier one."""
    query = request.scope["query_string"]
    if len(query) > limits.form_bytes:
        raise RequestTooLargeError(limits.form_bytes)
    values = await _decode(query, "query string") if query else {}
    if request.method in {"GET", "HEAD"}:
        return Form(values, ignored=await _names_in_body(request, limits) - values.keys())
    return Form({**values, **await _decode_body(request, limits)})


async def _names_in_body(request: ApiRequest, limits: BodyLimits) -> frozenset[str]:
    """Names of parameters in the body of a GET, which is ignored; the response lists them."""
    if media_type(request) not in {_URLENCODED, MULTIPART}:
        return frozenset()
    return frozenset(await _decode_body(request, limits))


async def _decode_body(request: ApiRequest, limits: BodyLimits) -> dict[str, str]:
    body = await read_body(request, limits.form_bytes)
    if not body:
        return {}
    kind = media_type(request)
    if kind == MULTIPART:
        return dict(await _decode_multipart(request, body))
    if kind in {_URLENCODED, ""}:
        return await _decode(body, "request body")
    raise BadRequestError(f"Send parameters as {_URLENCODED} or {MULTIPART}, not as {kind[:50]}")


def media_type(request: ApiRequest) -> str:
    """The media type of the Content-Type header, without its parameters."""
    return request.header(b"content-type").partition(";")[0].strip().lower()


async def read_body(request: ApiRequest, max_bytes: int) -> bytes:
    """Read the whole body; raises an error as soon as it is known to be too large."""
    announced = request.header(b"content-length")
    if announced.isdecimal() and int(announced) > max_bytes:
        raise RequestTooLargeError(max_bytes)
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnectedError
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > max_bytes:
            raise RequestTooLargeError(max_bytes)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


class ClientDisconnectedError(Exception):
    """The client disconnected before its request was complete: no response can be sent."""


async def _decode(data: bytes, place: str) -> dict[str, str]:
    if data.count(b"&") >= MAX_FIELDS:
        raise BadRequestError(f"The {place} has more than {MAX_FIELDS} parameters")
    try:
        return dict(await decode_pairs(data))
    except UnicodeDecodeError:
        raise BadRequestError(f"The {place} is not valid UTF-8") from None
    except TooManyStraysError:
        raise BadRequestError(f"The {place} is not valid {_URLENCODED}") from None


async def _decode_multipart(request: ApiRequest, body: bytes) -> Iterable[tuple[str, str]]:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    form = await parse_multipart(request, stream(), max_part_bytes=len(body))
    try:
        # A file where text is expected is reported like any unknown parameter.
        return [
            (name, value if isinstance(value, str) else "") for name, value in form.multi_items()
        ]
    finally:
        await form.close()
