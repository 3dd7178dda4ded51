"""Encoded parts of responses: shared between readers, never older or newer than requested."""

from collections.abc import Mapping
from typing import Any

import orjson

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.bus import Batch
from chatapi.events.shared_state_cache import BlockKey
from chatapi.features.personal.drafts.events import DraftRemoved
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.sample_events import entry

REALM = RealmId(1)


async def read(runtime: Runtime, key: str, as_of: int, value: str) -> str:
    """What a reader gets for a key when reading from the database gives the value."""

    async def load() -> Mapping[str, Any]:
        return {"value": value}

    block = await runtime.shared_state.get(REALM, BlockKey(key, None), EventNumber(as_of), load)
    found: dict[str, str] = orjson.loads(orjson.dumps(dict(block)))
    return found["value"]


async def test_cached_part_is_valid_until_a_change(runtime: Runtime, owner: Person) -> None:
    del owner
    feed = await runtime.hub.feed(REALM)
    position = feed.position or 0
    unrelated = entry(position + 1, DraftRemoved(draft_id=1))
    runtime.hub.receive(Batch(realm_id=REALM, logged=(unrelated,)))
    assert await read(runtime, "key", position, "first") == "first"
    assert await read(runtime, "key", position + 1, "second") == "first"
    assert await read(runtime, "other", position + 1, "second") == "second"


async def test_newer_change_invalidates_it(runtime: Runtime, owner: Person) -> None:
    del owner
    feed = await runtime.hub.feed(REALM)
    position = feed.position or 0
    assert await read(runtime, "key", position, "old") == "old"
    runtime.hub.receive(Batch(realm_id=REALM, logged=(entry(position + 1),)))
    # A snapshot from before the change must not be cached for later readers.
    assert await read(runtime, "key", position, "old again") == "old again"
    assert await read(runtime, "key", position + 1, "new") == "new"
    assert await read(runtime, "key", position + 1, "newer") == "new"


async def test_repeated_register_lists_all_users(
    client: ApiClient, owner: Person, member: Person
) -> None:
    async def names(reader: Person) -> list[str]:
        state = await client.post("/register", reader, fetch_event_types=["realm_user"])
        return [user["full_name"] for user in assert_success(state)["realm_users"]]

    assert await names(owner) == await names(owner) == [owner.full_name, member.full_name]
    changed = await client.patch("/settings", member, full_name="Another Name")
    assert_success(changed)
    assert await names(owner) == [owner.full_name, "Another Name"]
