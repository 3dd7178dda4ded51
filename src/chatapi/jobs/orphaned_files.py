"""Removes files that no row refers to: of uploads whose process was killed half-way."""

import re
from datetime import timedelta

import structlog

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.features.realm import list_file_keys

log = structlog.get_logger()

_OLD_ENOUGH = timedelta(days=1)
"""A file is written before its row: the row of an older one was committed long ago, or never."""
_KEY = re.compile(r"(?P<realm>\d{1,18})/[\w-]{2}/\.?(?P<token>[\w-]+)(?:\.\w+)?")
"""The key of a file, or of a temporary file, which begins with a dot and has a suffix after
another."""


async def remove_orphaned_files(runtime: Runtime) -> None:
    """Remove files that no row refers to.

    Only files whose keys show that this deployment wrote them: others may use the same bucket,
    and a copy of the database, as from a backup, must not remove files it does not know.
    """
    tag = await runtime.files.deployment_tag()
    store = runtime.files.store
    realm_id: RealmId | None = None
    referred: set[str] = set()
    removed = 0
    async for keys in store.list_old(runtime.clock.now() - _OLD_ENOUGH):
        for key in keys:
            own = _KEY.fullmatch(key)
            if own is None or not own["token"].endswith(tag):
                continue
            if own["realm"] != str(realm_id):
                realm_id = RealmId(int(own["realm"]))
                async with runtime.reading() as db:
                    referred = await list_file_keys(db, realm_id)
            if key not in referred:
                await store.delete(key)
                removed += 1
    if removed:
        log.info("orphaned_files_removed", count=removed)
