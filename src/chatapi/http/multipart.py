"""Strict parsing of multipart forms."""

import asyncio
from collections.abc import AsyncGenerator

from starlette.datastructures import FormData, Headers
from starlette.formparsers import MultiPartException, MultiPartParser
from typing_extensions import override

from chatapi.core.errors import BadRequestError
from chatapi.http.request import ApiRequest

MAX_FIELDS = 1_000
_PIECE_BYTES = 64 * 1024


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
