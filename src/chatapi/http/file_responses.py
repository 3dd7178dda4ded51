"""Responses that are files: sent in chunks, with headers that keep browsers from running them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from urllib.parse import quote

from starlette.types import Send

from chatapi.http.request import ApiRequest

_SHOWN_INLINE = frozenset(
    {
        "audio/aac",
        "audio/flac",
        "audio/mp4",
        "audio/mpeg",
        "audio/ogg",
        "audio/wav",
        "audio/webm",
        "image/apng",
        "image/avif",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "text/plain",
        "video/mp4",
        "video/webm",
    }
)
"""Types a browser can show and cannot run; all others are sent as downloads."""
_UNKNOWN = "application/octet-stream"
_HEADERS: list[tuple[bytes, bytes]] = [
    (b"x-content-type-options", b"nosniff"),
    (
        b"content-security-policy",
        b"sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    ),
    (b"referrer-policy", b"no-referrer"),
]
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


@dataclass(frozen=True)
class FileContent:
    """A file to be sent."""

    name: str
    content_type: str
    """The type that the uploading client declared."""
    size: int
    open: Callable[[], AbstractAsyncContextManager[AsyncIterator[bytes]]]
    is_public: bool = False
    """Whether everyone may read it, and it never changes."""

    def headers(self) -> list[tuple[bytes, bytes]]:
        kind = self.content_type.partition(";")[0].strip().lower()
        is_inline = kind in _SHOWN_INLINE
        shown_kind = kind if is_inline else _UNKNOWN
        if shown_kind == "text/plain":
            shown_kind = "text/plain; charset=utf-8"
        disposition = "inline" if is_inline else "attachment"
        name = quote(self.name, safe="")
        return [
            (b"content-type", shown_kind.encode()),
            (b"content-length", str(self.size).encode()),
            (b"content-disposition", f"{disposition}; filename*=UTF-8''{name}".encode()),
            *(_PUBLIC if self.is_public else _PRIVATE),
        ]


async def send_file(request: ApiRequest, send: Send, file: FileContent) -> None:
    async with file.open() as chunks:
        request.response_started = True
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    *file.headers(),
                    *_HEADERS,
                    (b"x-request-id", request.request_id.encode()),
                    *request.response_headers,
                ],
            }
        )
        async for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
