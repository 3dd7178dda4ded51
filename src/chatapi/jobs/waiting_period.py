"""Ends the waiting period of users, which is a matter of time alone."""

from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.features.users import list_realms_to_recount, recount_full_members


async def end_waiting_periods(runtime: Runtime) -> None:
    """Make users full members when their waiting period is over, one realm at a time."""
    async with runtime.reading() as db:
        realms = await list_realms_to_recount(db, runtime.clock.now())
    for realm_id in realms:
        # If two processes do it, the second one finds nothing left to do.
        async with realm_transaction(runtime, realm_id) as ctx:
            await recount_full_members(ctx)
