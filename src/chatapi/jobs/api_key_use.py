"""Stores when API keys were last used."""

from datetime import timedelta

from chatapi.auth.runtime import Runtime
from chatapi.features.users import ApiKeyRepository

_PRECISION = timedelta(minutes=10)
"""A key in constant use is written once in this time."""


async def store_api_key_use(runtime: Runtime) -> None:
    """Store the use of the keys that this process has authenticated since the last time."""
    key_ids = runtime.callers.take_used_keys()
    if not key_ids:
        return
    now = runtime.clock.now()
    async with runtime.reading() as db, db.transaction():
        await ApiKeyRepository(db).store_use(key_ids, now, unless_since=now - _PRECISION)
