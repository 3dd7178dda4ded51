"""Events about one custom emoji, for clients with the capability `individual_emoji_changes`."""

import pytest

from tests.factories import Person
from tests.features.emoji.adding import add_emoji
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success


@pytest.mark.any_database
async def test_client_with_the_capability_gets_one_emoji_at_a_time(
    client: ApiClient, owner: Person, member: Person
) -> None:
    known = {"individual_emoji_changes": True}
    listener = await listen(client, member, event_types=["realm_emoji"], client_capabilities=known)
    emoji = await add_emoji(client, owner, "party")
    assert_success(await client.delete("/realm/emoji/party", owner))
    added, removed = await listener.new_events()
    assert added == {"id": added["id"], "type": "realm_emoji", "op": "add", "emoji": emoji}
    assert removed == {
        "id": removed["id"],
        "type": "realm_emoji",
        "op": "update_one",
        "emoji_id": emoji["id"],
        "data": {"deactivated": True},
    }


@pytest.mark.any_database
async def test_other_clients_get_the_whole_list(
    client: ApiClient, owner: Person, member: Person
) -> None:
    listener = await listen(client, member, event_types=["realm_emoji"])
    await add_emoji(client, owner, "party")
    assert [event["op"] for event in await listener.new_events()] == ["update"]
