"""Encoded parts of answers: shared between readers, and never older or newer than asked for."""

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber, RealmId
from chatapi.events.bus import Batch
from tests.factories import Person
from tests.support.answers import assert_success
from tests.support.client import ApiClient
from tests.support.sample_events import entry

REALM = RealmId(1)


def number(value: int) -> EventNumber:
    return EventNumber(value)


async def test_a_block_is_right_until_people_change(runtime: Runtime) -> None:
    blocks = runtime.blocks
    blocks.keep(REALM, "key", number(5), b"[]")
    assert blocks.find(REALM, "key", number(9)) == b"[]"
    assert blocks.find(REALM, "other", number(9)) is None


async def test_newer_changes_make_it_unknown(runtime: Runtime, owner: Person) -> None:
    del owner
    feed = await runtime.hub.feed(REALM)
    position = feed.position or 0
    blocks = runtime.blocks
    blocks.keep(REALM, "key", number(position), b"[]")
    runtime.hub.receive(Batch(realm_id=REALM, logged=(entry(position + 1),)))
    assert blocks.find(REALM, "key", number(position + 1)) is None
    # A snapshot from before the change must not be kept for those who come after it.
    blocks.keep(REALM, "key", number(position), b"[]")
    assert blocks.find(REALM, "key", number(position + 1)) is None


async def test_register_shows_everybody_again_and_again(
    client: ApiClient, owner: Person, member: Person
) -> None:
    async def names(reader: Person) -> list[str]:
        state = await client.post("/register", reader, fetch_event_types=["realm_user"])
        return [user["full_name"] for user in assert_success(state)["realm_users"]]

    assert await names(owner) == await names(owner) == [owner.full_name, member.full_name]
    changed = await client.patch("/settings", member, full_name="Another Name")
    assert_success(changed)
    assert await names(owner) == [owner.full_name, "Another Name"]
