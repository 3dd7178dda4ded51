"""Parameter parsing for all endpoints: query string, JSON bodies and forms, perhaps with a file."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import IO, NamedTuple

from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from typing_extensions import override

from chatapi.core.errors import BadRequestError, RequestTooLargeError
from chatapi.core.worker_threads import WorkerThreads
from chatapi.http.request import ApiRequest, BodyLimits
from chatapi.http.urlencoding import TooManyStraysError, decode_pairs
from chatapi.wire.bodies import RequestBody
from chatapi.wire.files import UploadedFile
from chatapi.wire.strict_json import (
    JsonBudget,
    JsonValue,
    NotJsonError,
    TooManyMembersError,
    TooManyValuesError,
)

MAX_FIELDS = 1_000
_PIECE_BYTES = 64 * 1024
_URLENCODED = "application/x-www-form-urlencoded"
_JSON = "application/json"
MULTIPART = "multipart/form-data"
_DEFAULT_TYPE = "application/octet-stream"
_MAX_TYPE_LENGTH = 100
_CHUNK_BYTES = 256 * 1024
_hashing = WorkerThreads("hashing", 2)


class StrictMultiPartParser(MultiPartParser):
    """Text is decoded as UTF-8 whatever the client declares, and a truncated body is refused."""

    is_complete = False

    @override
    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        part = self._current_part
        # Some charsets can encode strings that are not valid text.
        part.field_name.encode()
        if part.file is not None and part.file.filename is not None:
            part.file.filename.encode()

    @override
    def on_part_end(self) -> None:
        part = self._current_part
        if part.file is None:
            self.items.append((part.field_name, part.data.decode()))
        else:
            super().on_part_end()

    @override
    def on_end(self) -> None:
        self.is_complete = True

    def close_files(self) -> None:
        for file in self._files_to_close_on_error:
            file.close()


async def _in_pieces(stream: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yields the same data in pieces, between which other requests are served."""
    async for chunk in stream:
        for start in range(0, len(chunk), _PIECE_BYTES):
            yield chunk[start : start + _PIECE_BYTES]
            await asyncio.sleep(0)


async def parse_multipart(
    request: ApiRequest, stream: AsyncGenerator[bytes, None], max_part_bytes: int
) -> FormData:
    """Returns the parts of a form; the caller must close them."""
    parser = StrictMultiPartParser(
        Headers(scope=request.scope),
        _in_pieces(stream),
        max_files=MAX_FIELDS,
        max_fields=MAX_FIELDS,
        max_part_size=max_part_bytes,
    )
    try:
        form = await parser.parse()
    except UnicodeError:
        raise BadRequestError("The request body is not valid UTF-8") from None
    except (MultiPartException, KeyError, ValueError):
        raise BadRequestError("The request body is not valid multipart/form-data") from None
    if not parser.is_complete:
        parser.close_files()
        raise BadRequestError("The request body is not complete multipart/form-data")
    return form


_NO_NAMES: frozenset[str] = frozenset()
"""One for all requests: an empty set takes 216 bytes, and a waiting poll keeps its own."""


class Form(NamedTuple):
    """The parameters of a request, and perhaps a file, or the body they came with."""

    values: Mapping[str, str | JsonValue]
    """The text of each parameter of a query or form, and the value of each in a JSON body."""
    file: UploadedFile | None = None
    body: RequestBody | None = None
    ignored: frozenset[str] = _NO_NAMES
    """Names of parameters that are ignored because of their place: in the body of a GET."""

    def fingerprint(self) -> dict[str, str]:
        """The values that distinguish this request from another one, for idempotency keys."""
        values = {
            name: given.canonical() if isinstance(given, JsonValue) else given
            for name, given in self.values.items()
        }
        if self.body is not None:
            return {**values, "body": hashlib.sha256(self.body.content).hexdigest()}
        if self.file is None:
            return values
        return {**values, "file": self.file.digest, "file name": self.file.name}

    def close(self) -> None:
        if self.file is not None:
            self.file.content.close()


async def read_form(request: ApiRequest, limits: BodyLimits) -> Form:
    """Read all parameters. The body overrides the query, a later value an earlier one."""
    values = await read_query(request, limits)
    if request.method in {"GET", "HEAD"}:
        names = await _names_in_body(request, limits)
        return Form(values, ignored=names - values.keys() if names else _NO_NAMES)
    return Form({**values, **await _decode_body(request, limits)})


async def read_query(request: ApiRequest, limits: BodyLimits) -> dict[str, str]:
    """Read the parameters of the query string; a later value overrides an earlier one."""
    query = request.scope["query_string"]
    if len(query) > limits.form_bytes:
        raise RequestTooLargeError(limits.form_bytes)
    return await _decode(query, "query string") if query else {}


async def read_query_and_body(request: ApiRequest, limits: BodyLimits) -> Form:
    """Read parameters of the query only, and the body as it is."""
    values = await read_query(request, limits)
    content = await read_body(request, limits.form_bytes)
    return Form(values, body=RequestBody(media_type(request), content))


async def _names_in_body(request: ApiRequest, limits: BodyLimits) -> frozenset[str]:
    """Names of parameters in the body of a GET, which is ignored; the response lists them."""
    if media_type(request) not in {_JSON, _URLENCODED, MULTIPART}:
        return _NO_NAMES
    return frozenset(await _decode_body(request, limits))


async def _decode_body(request: ApiRequest, limits: BodyLimits) -> Mapping[str, str | JsonValue]:
    body = await read_body(request, limits.form_bytes)
    if not body:
        return {}
    kind = media_type(request)
    if kind == MULTIPART:
        return dict(await _decode_multipart(request, body))
    if kind in {_URLENCODED, ""}:
        return await _decode(body, "request body")
    if kind == _JSON:
        return await _decode_json(body)
    raise BadRequestError(
        f"Send parameters as {_JSON}, {_URLENCODED} or {MULTIPART}, not as {kind[:50]}"
    )


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


async def _decode_json(body: bytes) -> dict[str, JsonValue]:
    """Decode a JSON object whose members are the parameters; of equal names the last counts."""
    try:
        values = JsonBudget().parse_body(body.decode(), MAX_FIELDS)
    except UnicodeDecodeError:
        raise BadRequestError("The request body is not valid UTF-8") from None
    except TooManyValuesError:
        raise BadRequestError("The request body has too many entries") from None
    except TooManyMembersError:
        raise BadRequestError(f"The request body has more than {MAX_FIELDS} parameters") from None
    except NotJsonError as error:
        if b"\0" in body:
            raise BadRequestError("The request body must not contain NUL characters") from None
        raise BadRequestError(f"The request body is not valid JSON: {error}") from None
    if values is None:
        raise BadRequestError("The request body is not a JSON object with parameters")
    if len(body) > _PIECE_BYTES:
        # Validating the values of a large body is a step of its own.
        await asyncio.sleep(0)
    return values


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


async def read_form_with_file(request: ApiRequest, limits: BodyLimits) -> Form:
    """Read parameters and one file of any field name; without a file, a plain form or JSON."""
    if media_type(request) != MULTIPART:
        return await read_form(request, limits)
    parts = await parse_multipart(
        request, _stream(request, limits), max_part_bytes=limits.form_bytes
    )
    values = {name: part for name, part in parts.multi_items() if isinstance(part, str)}
    files = [part for _name, part in parts.multi_items() if isinstance(part, UploadFile)]
    try:
        file = await _read_file(files, limits.file_bytes)
    except BaseException:
        await parts.close()
        raise
    return Form(values, file)


async def _stream(request: ApiRequest, limits: BodyLimits) -> AsyncGenerator[bytes, None]:
    """Yields the body; raises an error as soon as it is too large for any file and its fields."""
    most = limits.file_bytes + limits.form_bytes
    announced = request.header(b"content-length")
    if announced.isdecimal() and int(announced) > most:
        raise RequestTooLargeError(limits.file_bytes)
    size = 0
    is_complete = False
    while not is_complete:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnectedError
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            raise RequestTooLargeError(limits.file_bytes)
        is_complete = not message.get("more_body", False)
        yield chunk


async def _read_file(parts: list[UploadFile], max_bytes: int) -> UploadedFile | None:
    if not parts:
        return None
    if len(parts) > 1:
        raise BadRequestError("You may only upload one file at a time")
    (part,) = parts
    size = part.size or 0
    if size > max_bytes:
        raise RequestTooLargeError(max_bytes)
    return UploadedFile(
        name=part.filename or "",
        content_type=(part.content_type or _DEFAULT_TYPE)[:_MAX_TYPE_LENGTH],
        size=size,
        digest=await _hashing.run(_digest, part.file),
        content=part.file,
    )


def _digest(content: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := content.read(_CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()
