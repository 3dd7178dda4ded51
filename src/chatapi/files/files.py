"""The files of the service: the store, and what is to be removed from it."""

import asyncio
import base64
import hashlib
from collections.abc import Sequence

import structlog

from chatapi.core.deployment import FindDeployment
from chatapi.files.store import FileStore

log = structlog.get_logger()

_TAG_LENGTH = 6


class Files:
    """Removes in the background: whoever deletes a file need not wait for its bytes to go."""

    def __init__(self, store: FileStore, find_deployment: FindDeployment) -> None:
        self.store = store
        self._find_deployment = find_deployment
        self._tag: str | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def deployment_tag(self) -> str:
        """What the keys of this deployment's files end in: others may keep theirs beside them.

        Call it without holding a database connection.
        """
        if self._tag is None:
            digest = hashlib.sha256((await self._find_deployment()).encode()).digest()
            self._tag = base64.urlsafe_b64encode(digest)[:_TAG_LENGTH].decode()
        return self._tag

    def discard(self, keys: Sequence[str]) -> None:
        """Remove files that nothing refers to any more; one that stays is only in the way."""
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
