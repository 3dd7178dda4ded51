"""Requests for a part of a file (RFC 9110, section 14), as players send them to seek."""

import re
from dataclasses import dataclass

from typing_extensions import override

from chatapi.core.errors import ApiError
from chatapi.files.store import ByteRange
from chatapi.http.request import ApiRequest

_RANGE = re.compile(r"bytes=\s*(?:(?P<first>\d{1,18})-(?P<last>\d{0,18})|-(?P<suffix>\d{1,18}))\s*")
"""One range: a request for several gets the whole file, which is always allowed."""


@dataclass(eq=False)
class RangeNotSatisfiableError(ApiError):
    """The requested part is behind the end of the file."""

    code = "RANGE_NOT_SATISFIABLE"
    status = 416
    text = "The file has only {size} bytes"
    size: int

    @override
    def headers(self) -> dict[str, str]:
        return {"Content-Range": f"bytes */{self.size}"}


def requested_range(request: ApiRequest, size: int, etag: str | None) -> ByteRange | None:
    """The part of a file that a request asks for; None if it gets the whole file.

    Raises `RangeNotSatisfiableError` for a part that does not exist.
    """
    found = _RANGE.fullmatch(request.header(b"range"))
    if found is None or request.method != "GET" or not _is_of_same_file(request, etag):
        return None
    if found["suffix"] is not None:
        first, last = max(0, size - int(found["suffix"])), size - 1
    else:
        first = int(found["first"])
        last = min(int(found["last"] or size - 1), size - 1)
        if found["last"] and int(found["last"]) < first:
            # Such a header is invalid, and an invalid one is ignored.
            return None
    if first >= size:
        raise RangeNotSatisfiableError(size)
    return ByteRange(first, last)


def _is_of_same_file(request: ApiRequest, etag: str | None) -> bool:
    """Whether the file is the one of which a client with `If-Range` already has a part."""
    condition = request.header(b"if-range").strip()
    return not condition or condition == etag
