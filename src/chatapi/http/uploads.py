"""Forms with a file: read in chunks, never held in memory as a whole."""

import hashlib
from collections.abc import AsyncGenerator
from typing import IO

from starlette.datastructures import UploadFile

from chatapi.core.errors import BadRequestError, RequestTooLargeError
from chatapi.core.worker_threads import WorkerThreads
from chatapi.http.forms import MULTIPART, ClientDisconnectedError, Form, media_type, read_form
from chatapi.http.multipart import parse_multipart
from chatapi.http.request import ApiRequest, BodyLimits
from chatapi.wire.files import UploadedFile

_DEFAULT_TYPE = "application/octet-stream"
_MAX_TYPE_LENGTH = 100
_CHUNK_BYTES = 256 * 1024
_hashing = WorkerThreads("hashing", 2)


async def read_form_with_file(request: ApiRequest, limits: BodyLimits) -> Form:
    """Read parameters and one file of any field name; without a file, a plain form."""
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
