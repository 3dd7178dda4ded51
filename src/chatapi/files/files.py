"""The file store of the service, and the removal of files from it."""

import asyncio
import base64
import hashlib
import io
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import structlog

from chatapi.core.deployment import FindDeployment
from chatapi.files.store import FileStore

log = structlog.get_logger()

_TAG_LENGTH = 6


class Files:
    """Removes files in the background: a request that deletes one does not wait for the store."""

    def __init__(
        self, store: FileStore, find_deployment: FindDeployment, accel_location: str = ""
    ) -> None:
        self.store = store
        self._accel_location = accel_location
        self._find_deployment = find_deployment
        self._tag: str | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def deployment_tag(self) -> str:
        """Return the suffix of this deployment's keys: other deployments may share the store.

        Call it without holding a database connection.
        """
        if self._tag is None:
            digest = hashlib.sha256((await self._find_deployment()).encode()).digest()
            self._tag = base64.urlsafe_b64encode(digest)[:_TAG_LENGTH].decode()
        return self._tag

    def accel_path(self, key: str) -> str | None:
        """The path at which the proxy finds a file; None if the service sends files itself."""
        return self._accel_location + key if self._accel_location else None

    @asynccontextmanager
    async def storing(self, contents: Mapping[str, bytes]) -> AsyncIterator[None]:
        """Store small files by key, for rows that the block writes; if it fails, discard them."""
        try:
            await self.put_all(contents)
            yield
        except BaseException:
            self.discard(list(contents))
            raise

    async def put_all(self, contents: Mapping[str, bytes]) -> None:
        """Store small files by key."""
        for key, content in contents.items():
            digest = hashlib.sha256(content).hexdigest()
            await self.store.put(key, io.BytesIO(content), digest)

    async def read_whole(self, key: str) -> bytes:
        """The content of a small file; raises `MissingFileError`, which clients get as 404."""
        async with self.store.read(key) as chunks:
            return b"".join([chunk async for chunk in chunks])

    def discard(self, keys: Sequence[str]) -> None:
        """Remove files that no row refers to any more; one that remains only takes up space."""
        task = asyncio.create_task(self._remove(keys))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        await asyncio.gather(*self._tasks)
        await self.store.close()

    async def _remove(self, keys: Sequence[str]) -> None:
        for key in keys:
            try:
                await self.store.delete(key)
            except Exception:
                log.exception("file_not_removed", key=key)
