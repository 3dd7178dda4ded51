"""Use case: delete a realm, its rows and its files."""

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.events.audience import Nobody
from chatapi.features.realm.deletion.events import RealmDeleted
from chatapi.features.realm.deletion.repository import RealmRemover
from chatapi.features.realm.stored_files import list_file_keys

_MAX_PASSES = 100
"""Requests and jobs that were under way may still write; a pass finds what the last one missed."""


async def delete_organization(runtime: Runtime, realm: RealmRecord) -> int:
    """Cut off all clients, then remove rows in small transactions, then files.

    Returns the number of removed rows. If it is interrupted, the realm stays unreachable, and
    another call removes the rest.
    """
    await _cut_off(runtime, realm)
    async with runtime.reading() as db:
        files = await list_file_keys(db, realm.id)
    removed = await _remove_rows(runtime, realm)
    runtime.realms.reload_soon()
    # Last: a file without a row is removed by the job for those, a row without its file is not.
    for key in files:
        await runtime.files.store.delete(key)
    return removed


async def _cut_off(runtime: Runtime, realm: RealmRecord) -> None:
    """Make the realm unreachable: queues end, and all processes drop what they have cached."""
    async with realm_transaction(runtime, realm.id) as ctx:
        remover = RealmRemover(ctx.db, realm.id)
        await remover.begin(runtime.clock.now())
        ctx.work.end_queues(realm.id, await remover.delete_queues())
        ctx.emit(RealmDeleted(), to=Nobody())


async def _remove_rows(runtime: Runtime, realm: RealmRecord) -> int:
    removed = 0
    for _ in range(_MAX_PASSES):
        async with runtime.reading() as db:
            remover = RealmRemover(db, realm.id)
            removed += await remover.remove_rows()
            if await remover.remove_realm():
                return removed
    raise RuntimeError(f"realm {realm.id} still gets new rows")
