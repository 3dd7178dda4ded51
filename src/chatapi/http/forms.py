"""The one parameter reader: query string, urlencoded and multipart, on every method."""

from collections.abc import AsyncGenerator, Iterable
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException, MultiPartParser
from typing_extensions import override

from chatapi.core.errors import BadRequestError, RequestTooLargeError
from chatapi.http.call import Call

_MOST_FIELDS = 1_000
_URLENCODED = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"


async def read_parameters(call: Call) -> dict[str, str]:
    """All parameters by name; the body wins over the query, the last value over earlier ones."""
    query = call.scope["query_string"]
    values = _decode(query, "query string") if query else {}
    if call.method in {"GET", "HEAD"}:
        return values
    body = await read_body(call, call.scope["state"]["max_body_bytes"])
    if not body:
        return values
    content_type = call.header(b"content-type")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == _MULTIPART:
        values.update(await _decode_multipart(call, body))
    elif kind in {_URLENCODED, ""}:
        values.update(_decode(body, "request body"))
    else:
        raise BadRequestError(
            f"Send parameters as {_URLENCODED} or {_MULTIPART}, not as {kind[:50]}"
        )
    return values


async def read_body(call: Call, max_bytes: int) -> bytes:
    """The whole body, refused as soon as it is known to be too large."""
    announced = call.header(b"content-length")
    if announced.isdecimal() and int(announced) > max_bytes:
        raise RequestTooLargeError(max_bytes)
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await call.receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > max_bytes:
            raise RequestTooLargeError(max_bytes)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


class ClientGoneError(Exception):
    """The client hung up before its request was complete: there is nobody to answer."""


def _decode(data: bytes, place: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            data.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except UnicodeDecodeError:
        raise BadRequestError(f"The {place} is not valid UTF-8") from None
    except ValueError:
        raise BadRequestError(f"The {place} has more than {_MOST_FIELDS} parameters") from None
    return dict(pairs)


class StrictMultiPartParser(MultiPartParser):
    """Text is UTF-8 whatever the client claims, and a body that breaks off is no form."""

    is_complete = False

    @override
    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        # Some charsets can spell what is no text.
        self._current_part.field_name.encode()

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


async def _decode_multipart(call: Call, body: bytes) -> Iterable[tuple[str, str]]:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    parser = StrictMultiPartParser(
        Headers(scope=call.scope),
        stream(),
        max_files=_MOST_FIELDS,
        max_fields=_MOST_FIELDS,
        max_part_size=len(body),
    )
    try:
        form = await parser.parse()
    except UnicodeError:
        raise BadRequestError("The request body is not valid UTF-8") from None
    except (MultiPartException, KeyError, ValueError):
        raise BadRequestError("The request body is not valid multipart/form-data") from None
    if not parser.is_complete:
        raise BadRequestError("The request body is not complete multipart/form-data")
    try:
        # A file where text belongs is reported like any parameter nobody knows.
        return [
            (name, value if isinstance(value, str) else "") for name, value in form.multi_items()
        ]
    finally:
        await form.close()
