"""Message ids have the order of commits, also when they are taken together with the lock."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.message_ids import take_message_ids
from chatapi.db.session import DatabaseSession
from tests.factories import Person
from tests.features.messages.fetch.conversations import send_direct
from tests.support.client import ApiClient
from tests.support.waiting import until_lock_is_awaited


async def test_ascend_and_are_taken_once(
    runtime: Runtime, realm: RealmRecord, client: ApiClient, owner: Person
) -> None:
    sent = await send_direct(client, owner, owner)
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id, message_ids=3)
        first = await take_message_ids(db, 5)
        assert first == sorted(set(first))
        assert len(first) == 5
        assert first[0] > sent


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_writer_that_waited_for_the_lock_gets_higher_ids(
    settings: Settings, realm: RealmRecord
) -> None:
    """As in two processes, of which one holds the lock while the other asks for it.

    SQLite has one writer, which counts ids when they are needed.
    """
    here, there = Database(settings), Database(settings)
    async with DatabaseSession(here) as holder, DatabaseSession(there) as next_one:
        await holder.lock_realm(realm.id)
        waiting = asyncio.create_task(next_one.lock_realm(realm.id, message_ids=2))
        await until_lock_is_awaited(here)
        theirs = await take_message_ids(holder, 2)
        await holder.commit()
        await waiting
        assert min(await take_message_ids(next_one, 2)) > max(theirs)
    await here.close()
    await there.close()
