"""Content that does not change while the process runs: compressed once, with a digest."""

import gzip
import hashlib
from collections.abc import Mapping
from functools import cached_property

from starlette.requests import Request
from starlette.responses import Response

from chatapi.http.accept_encoding import choose_coding
from chatapi.http.etags import is_listed

_GZIP = "gzip"


class StaticContent:
    """Bytes that are sent as they are, or compressed to clients that accept it."""

    def __init__(self, content: bytes, media_type: str, headers: Mapping[str, str]) -> None:
        self._content = content
        self._media_type = media_type
        self._headers = headers

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self._content).hexdigest()[:16]

    @cached_property
    def _compressed(self) -> bytes:
        """Compressed on first use; without a time, so that all processes send the same bytes."""
        return gzip.compress(self._content, compresslevel=9, mtime=0)

    def respond(self, request: Request) -> Response:
        """Returns the content, or 304 if the client has it already."""
        # Weak: the compressed and the plain form share it.
        tag = f'W/"{self.digest}"'
        headers = {**self._headers, "etag": tag, "vary": "Accept-Encoding"}
        if is_listed(tag, request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=headers)
        content = self._content
        if choose_coding(request.headers.get("accept-encoding", ""), (_GZIP,)) == _GZIP:
            content = self._compressed
            headers["content-encoding"] = _GZIP
        return Response(content, headers=headers, media_type=self._media_type)
