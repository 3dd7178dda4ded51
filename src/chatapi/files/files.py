"""The files of the service: the store, and what is to be removed from it."""

import asyncio
from collections.abc import Sequence

import structlog

from chatapi.files.store import FileStore

log = structlog.get_logger()


class Files:
    """Removes in the background: whoever deletes a file need not wait for its bytes to go."""

    def __init__(self, store: FileStore) -> None:
        self.store = store
        self._tasks: set[asyncio.Task[None]] = set()

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
