"""Channels are cached for registrations, which see changes at once."""

from typing import Any

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ChannelId
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import KNOWS_ARCHIVED, subscribe
from tests.features.messages.fetch.conversations import send
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements

CHANGES: dict[str, dict[str, object]] = {
    "name": {"new_name": "other"},
    "description": {"description": "other"},
    "privacy": {"is_private": True},
    "history": {"is_private": True, "history_public_to_subscribers": False},
    "topics policy": {"topics_policy": "empty_topic_only"},
    "retention": {"message_retention_days": 30},
    "archived": {"is_archived": True},
}
_READS_CHANNELS = "rendered_description"
"""A column that is read with whole channels only."""


async def registered(client: ApiClient, person: Person, channel_id: ChannelId) -> dict[str, Any]:
    state = assert_success(
        await client.post("/register", person, client_capabilities=KNOWS_ARCHIVED)
    )
    [shown] = [each for each in state["streams"] if each["stream_id"] == channel_id]
    assert isinstance(shown, dict)
    return shown


async def fetched(client: ApiClient, person: Person, channel_id: ChannelId) -> object:
    return assert_success(await client.get(f"/streams/{channel_id}", person))["stream"]


@pytest.mark.parametrize("change", CHANGES)
async def test_registration_after_a_change_of_the_channel_shows_it(
    client: ApiClient, make_channel: MakeChannel, owner: Person, change: str
) -> None:
    channel = await make_channel(subscribers=[owner])
    before = await registered(client, owner, channel.id)
    assert_success(await client.patch(f"/streams/{channel.id}", owner, **CHANGES[change]))
    after = await registered(client, owner, channel.id)
    assert after != before
    assert after == await fetched(client, owner, channel.id)


async def test_registration_after_a_change_of_a_permission_shows_it(
    client: ApiClient, make_channel: MakeChannel, owner: Person
) -> None:
    channel = await make_channel(subscribers=[owner])
    before = await registered(client, owner, channel.id)
    groups = assert_success(await client.get("/user_groups", owner))["user_groups"]
    [admins] = [each["id"] for each in groups if each["name"] == SystemGroup.ADMINISTRATORS]
    permission = {"can_send_message_group": {"new": admins}}
    assert_success(await client.patch(f"/streams/{channel.id}", owner, **permission))
    after = await registered(client, owner, channel.id)
    assert (before["stream_post_policy"], after["stream_post_policy"]) == (1, 2)
    assert after == await fetched(client, owner, channel.id)


async def test_messages_and_subscriptions_are_counted_though_no_channel_is_read_again(
    client: ApiClient,
    runtime: Runtime,
    make_channel: MakeChannel,
    owner: Person,
    member: Person,
) -> None:
    channel = await make_channel(subscribers=[owner])
    before = await registered(client, owner, channel.id)
    message_id = await send(client, owner, channel, "hello")
    await subscribe(client, member, channel.name)
    with recorded_statements(runtime.database, _READS_CHANNELS) as statements:
        after = await registered(client, owner, channel.id)
    # The channels that new users join are cached by themselves.
    assert [each for each in statements if "is_default" not in each.partition("WHERE")[2]] == []
    changed = {"first_message_id": message_id, "subscriber_count": 2}
    assert after == {**before, **changed}
