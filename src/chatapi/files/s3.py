"""Files in a bucket of an S3-compatible store, for a service that runs on several machines."""

import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from http import HTTPStatus
from typing import IO, Self
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import structlog
from msgspec import Struct

from chatapi.core.clock import Clock
from chatapi.core.errors import UnavailableError
from chatapi.core.worker_threads import WorkerThreads
from chatapi.files.signature import (
    EMPTY_DIGEST,
    NO_QUERY,
    SigningKey,
    amz_date,
    encode_query,
    escape_path,
)
from chatapi.files.store import CHUNK_BYTES, THREADS, ByteRange, MissingFileError

log = structlog.get_logger()

_PATIENCE = httpx.Timeout(30, connect=5)
_DEFAULT_REGION = "us-east-1"
_PAGE = 1_000
"""Files per response when listing."""
_OBJECT = re.compile(
    r"<Contents>.*?<Key>([^<]*)</Key>.*?<LastModified>([^<]*)</LastModified>.*?</Contents>",
    re.DOTALL,
)
"""Our keys consist of characters that need no escapes; any other key is not one of ours."""


class Bucket(Struct, frozen=True):
    """The address of a bucket, and the credentials for it."""

    origin: str
    host: str
    name: str
    key: SigningKey

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Parse a URL like https://ACCESS_KEY:SECRET_KEY@host/bucket?region=eu-central-1."""
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        region = parse_qs(parts.query).get("region", [_DEFAULT_REGION])[0]
        key = SigningKey(unquote(parts.username or ""), unquote(parts.password or ""), region)
        return cls(f"{parts.scheme}://{host}", host, parts.path.strip("/"), key)


class S3Store:
    """Stores files with one signed request each; only reading is streamed in pieces."""

    def __init__(self, bucket: Bucket, clock: Clock) -> None:
        self._bucket = bucket
        self._clock = clock
        self._threads = WorkerThreads("files", THREADS)
        self._http = httpx.AsyncClient(timeout=_PATIENCE, headers={"accept-encoding": "identity"})

    async def put(self, key: str, content: IO[bytes], digest: str) -> None:
        content.seek(0, os.SEEK_END)
        size = str(content.tell())
        content.seek(0)
        headers = {**self._signed("PUT", key, digest), "content-length": size}
        request = self._request("PUT", key, headers, content=self._chunks(content))
        async with self._answer(request, key):
            pass

    @asynccontextmanager
    async def read(
        self, key: str, part: ByteRange | None = None
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        headers = self._signed("GET", key)
        if part is not None:
            headers["range"] = f"bytes={part.first}-{part.last}"
        async with self._answer(self._request("GET", key, headers), key) as response:
            if part is not None and response.status_code != HTTPStatus.PARTIAL_CONTENT:
                log.error("store_ignores_ranges", status=response.status_code)
                raise UnavailableError
            yield response.aiter_raw(CHUNK_BYTES)

    async def delete(self, key: str) -> None:
        request = self._request("DELETE", key, self._signed("DELETE", key))
        try:
            async with self._answer(request, key):
                pass
        except MissingFileError:
            pass

    async def list_old(self, before: datetime) -> AsyncIterator[list[str]]:
        last = ""
        while True:
            listing = await self._list_after(last)
            found = _OBJECT.findall(listing)
            if not found:
                return
            yield [key for key, written_at in found if datetime.fromisoformat(written_at) < before]
            last = found[-1][0]

    async def _list_after(self, key: str) -> str:
        """Return the store's listing of the files after a key, in the order of their keys."""
        query = {"list-type": "2", "max-keys": str(_PAGE), "start-after": key}
        headers = self._signed("GET", "", query=query)
        request = self._request("GET", "", headers, query=query)
        async with self._answer(request, "") as response:
            return (await response.aread()).decode()

    async def close(self) -> None:
        await self._http.aclose()
        self._threads.close()

    async def _chunks(self, content: IO[bytes]) -> AsyncIterator[bytes]:
        while chunk := await self._threads.run(content.read, CHUNK_BYTES):
            yield chunk

    def _path(self, key: str) -> str:
        return f"/{self._bucket.name}/{key}"

    def _signed(
        self,
        method: str,
        key: str,
        digest: str = EMPTY_DIGEST,
        query: Mapping[str, str] = NO_QUERY,
    ) -> dict[str, str]:
        now = self._clock.now()
        headers = {
            "host": self._bucket.host,
            "x-amz-content-sha256": digest,
            "x-amz-date": amz_date(now),
        }
        signature = self._bucket.key.authorization(method, self._path(key), headers, now, query)
        return {**headers, "authorization": signature}

    def _request(
        self,
        method: str,
        key: str,
        headers: dict[str, str],
        content: AsyncIterator[bytes] | None = None,
        query: Mapping[str, str] = NO_QUERY,
    ) -> httpx.Request:
        url = self._bucket.origin + escape_path(self._path(key))
        if query:
            url += f"?{encode_query(query)}"
        return self._http.build_request(method, url, headers=headers, content=content)

    @asynccontextmanager
    async def _answer(self, request: httpx.Request, key: str) -> AsyncIterator[httpx.Response]:
        """Send a request and yield its response if it succeeded.

        Errors of the store are logged, since they mean nothing to the user who uploads.
        """
        try:
            response = await self._http.send(request, stream=True)
        except httpx.TransportError as error:
            log.warning("store_unreachable", reason=type(error).__name__)
            raise UnavailableError from error
        try:
            if response.status_code == HTTPStatus.NOT_FOUND:
                raise MissingFileError(key)
            if not response.is_success:
                log.error("store_refused", method=request.method, status=response.status_code)
                raise UnavailableError
            yield response
        finally:
            await response.aclose()
