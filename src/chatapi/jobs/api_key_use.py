"""Stores when API keys were last used."""

from chatapi.auth.runtime import Runtime
from chatapi.features.users import store_api_key_use


async def store_used_api_keys(runtime: Runtime) -> None:
    """Store the use of the keys that this process has authenticated since the last time."""
    key_ids = runtime.callers.take_used_keys()
    if key_ids:
        async with runtime.reading() as db, db.transaction():
            await store_api_key_use(db, key_ids, runtime.clock.now())
