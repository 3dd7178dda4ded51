"""Work on a realm that no request asked for: for reading, or in a transaction of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import RealmId
from chatapi.events.unit_of_work import UnitOfWork


@asynccontextmanager
async def realm_reading(runtime: Runtime, realm_id: RealmId) -> AsyncIterator[RealmContext]:
    """Read statement by statement; the connection is released at the end of the block."""
    realm = await runtime.realms.of_id(realm_id)
    async with runtime.reading() as db:
        yield RealmContext.without_request(runtime, runtime.unit_of_work(db), realm)


@asynccontextmanager
async def realm_transaction(runtime: Runtime, realm_id: RealmId) -> AsyncIterator[RealmContext]:
    """Lock a realm, and commit at the end of the block; an exception rolls everything back.

    Caches know of everything that was committed before the lock. Events that are emitted in the
    block are published after the commit.
    """
    # Before the lock: its holder must not wait for a second connection.
    await runtime.hub.feed(realm_id)
    realm = await runtime.realms.of_id(realm_id)
    async with runtime.begin() as work:
        yield RealmContext.without_request(runtime, work, await lock_first(runtime, work, realm))


async def lock_first(runtime: Runtime, work: UnitOfWork, realm: RealmRecord) -> RealmRecord:
    """Lock a realm before anything is read, catch up with its log, and return its current state."""
    number = await work.db.lock_realm_first(realm.id)
    await runtime.hub.catch_up_to(work.db, realm.id, number)
    return await runtime.realms.reload_locked(work.db, realm)
