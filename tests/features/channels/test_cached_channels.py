"""Channels are cached for registrations, which see changes at once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import ChannelId, MessageId
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import KNOWS_ARCHIVED, subscribe, unsubscribe
from tests.features.messages.fetch.conversations import send
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.query_plans import captured_statements
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


@dataclass(frozen=True)
class Scene:
    """A channel with two messages and one subscriber, and what can happen to it."""

    client: ApiClient
    clock: MovableClock
    owner: Person
    member: Person
    channel: ChannelRecord
    other: ChannelRecord
    messages: list[MessageId]

    async def move(self, message_id: MessageId, to: ChannelRecord) -> None:
        change = {"stream_id": to.id, "propagate_mode": "change_one"}
        assert_success(await self.client.patch(f"/messages/{message_id}", self.owner, **change))

    async def delete(self, message_id: MessageId) -> None:
        assert_success(await self.client.delete(f"/messages/{message_id}", self.owner))


@pytest.fixture
async def scene(
    client: ApiClient,
    clock: MovableClock,
    make_channel: MakeChannel,
    owner: Person,
    member: Person,
) -> Scene:
    channel = await make_channel(subscribers=[owner])
    other = await make_channel(subscribers=[owner])
    sent = [await send(client, owner, channel) for _ in range(2)]
    return Scene(client, clock, owner, member, channel, other, sent)


async def join(scene: Scene) -> None:
    assert_success(await subscribe(scene.client, scene.member, scene.channel.name))


async def leave(scene: Scene) -> None:
    assert_success(await unsubscribe(scene.client, scene.owner, scene.channel.name))


async def move_the_first_message_away(scene: Scene) -> None:
    await scene.move(scene.messages[0], scene.other)


async def delete_the_first_message(scene: Scene) -> None:
    await scene.delete(scene.messages[0])


async def delete_all_messages(scene: Scene) -> None:
    for message_id in scene.messages:
        await scene.delete(message_id)


async def let_half_a_year_pass(scene: Scene) -> None:
    scene.clock.advance(days=200)


@pytest.mark.parametrize(
    "happen",
    [
        join,
        leave,
        move_the_first_message_away,
        delete_the_first_message,
        delete_all_messages,
        let_half_a_year_pass,
    ],
    ids=lambda happen: happen.__name__,
)
async def test_registration_shows_what_happened_in_the_channel(
    scene: Scene, happen: Callable[[Scene], Awaitable[None]]
) -> None:
    before = await registered(scene.client, scene.owner, scene.channel.id)
    await happen(scene)
    after = await registered(scene.client, scene.owner, scene.channel.id)
    assert after != before
    assert after == await fetched(scene.client, scene.owner, scene.channel.id)


async def test_deactivated_subscriber_is_not_counted_any_more(scene: Scene) -> None:
    await join(scene)
    before = await registered(scene.client, scene.owner, scene.channel.id)
    assert_success(await scene.client.delete(f"/users/{scene.member.user_id}", scene.owner))
    after = await registered(scene.client, scene.owner, scene.channel.id)
    assert after == {**before, "subscriber_count": before["subscriber_count"] - 1}


@pytest.mark.parametrize("days", [0, 200], ids=["new", "old"])
async def test_first_message_of_a_channel_is_shown(scene: Scene, days: int) -> None:
    scene.clock.advance(days=days)
    before = await registered(scene.client, scene.owner, scene.other.id)
    message_id = await send(scene.client, scene.owner, scene.other)
    after = await registered(scene.client, scene.owner, scene.other.id)
    assert (before["first_message_id"], before["is_recently_active"]) == (None, days == 0)
    assert after == {**before, "first_message_id": message_id, "is_recently_active": True}


async def test_older_message_that_is_moved_into_a_channel_is_its_first(scene: Scene) -> None:
    later = await send(scene.client, scene.owner, scene.other)
    before = await registered(scene.client, scene.owner, scene.other.id)
    await scene.move(scene.messages[0], scene.other)
    after = await registered(scene.client, scene.owner, scene.other.id)
    assert before["first_message_id"] == later
    assert after == {**before, "first_message_id": scene.messages[0]}


async def test_message_makes_an_old_channel_active_again(scene: Scene) -> None:
    scene.clock.advance(days=200)
    before = await registered(scene.client, scene.owner, scene.channel.id)
    await send(scene.client, scene.owner, scene.channel)
    after = await registered(scene.client, scene.owner, scene.channel.id)
    assert not before["is_recently_active"]
    assert after == {**before, "is_recently_active": True}


async def test_channel_stays_active_for_half_a_year_after_its_newest_message(scene: Scene) -> None:
    """The message came after the channel was cached, and did not change what is shown of it."""
    before = await registered(scene.client, scene.owner, scene.channel.id)
    scene.clock.advance(days=100)
    await send(scene.client, scene.owner, scene.channel)
    for days in (0, 100):
        scene.clock.advance(days=days)
        assert await registered(scene.client, scene.owner, scene.channel.id) == before
    scene.clock.advance(days=100)
    after = await registered(scene.client, scene.owner, scene.channel.id)
    assert after == {**before, "is_recently_active": False}


async def test_new_channel_is_listed(scene: Scene, make_channel: MakeChannel) -> None:
    await registered(scene.client, scene.owner, scene.channel.id)
    new = await make_channel(subscribers=[scene.owner])
    after = await registered(scene.client, scene.owner, new.id)
    assert after == await fetched(scene.client, scene.owner, new.id)


class TestCost:
    async def test_no_channel_is_read_again_after_messages_in_active_channels(
        self, scene: Scene, runtime: Runtime
    ) -> None:
        await registered(scene.client, scene.owner, scene.channel.id)
        await send(scene.client, scene.owner, scene.channel)
        with recorded_statements(runtime.database, _READS_CHANNELS) as statements:
            await registered(scene.client, scene.owner, scene.channel.id)
            listed = await scene.client.get("/streams", scene.owner)
            subscribed = await scene.client.get("/users/me/subscriptions", scene.owner)
        assert len(assert_success(listed)["streams"]) == 2
        assert len(assert_success(subscribed)["subscriptions"]) == 2
        assert statements == []

    async def test_only_the_channel_that_changed_is_read_again(
        self, scene: Scene, runtime: Runtime
    ) -> None:
        await registered(scene.client, scene.owner, scene.channel.id)
        await join(scene)
        with captured_statements(runtime.database, _READS_CHANNELS) as captured:
            await registered(scene.client, scene.owner, scene.channel.id)
        [(_, values)] = captured
        assert f"[{scene.channel.id}]" in str(values)
