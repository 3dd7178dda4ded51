"""The cost of subscribing and registering does not grow with the number of users."""

from typing import Any

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.features.channels.subscriptions.params import MAX_CHANNELS
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import SUBSCRIPTIONS, subscribe, unsubscribe
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements, statements_under_lock

QUIETLY = {"send_new_subscription_messages": False}
ROOM = 10
"""Long lists may be written in slices, but no statement is per channel."""
UNDER_LOCK = 15
"""Statements of joining or leaving one channel for which all other writers wait."""


async def test_subscribing_any_number_of_users_takes_the_same_statements(
    client: ApiClient,
    runtime: Runtime,
    owner: Person,
    make_user: MakeUser,
    make_channel: MakeChannel,
) -> None:
    people = [await make_user() for _ in range(20)]
    costs = {}
    for count in (2, 20):
        channel = await make_channel(subscribers=[owner])
        some = {"principals": [person.user_id for person in people[:count]]}
        with recorded_statements(runtime.database, "subscription") as coming:
            assert_success(await subscribe(client, owner, channel.name, **some, **QUIETLY))
        with recorded_statements(runtime.database, "subscription") as leaving:
            assert_success(await unsubscribe(client, owner, channel.name, **some))
        costs[count] = len(coming), len(leaving)
    assert costs[2] == costs[20]


async def test_joining_and_leaving_read_under_the_lock_only_what_the_lock_protects(
    client: ApiClient, runtime: Runtime, member: Person, make_channel: MakeChannel
) -> None:
    """All other writers wait meanwhile: no groups or earlier subscriptions of the caller."""
    channel = await make_channel()
    for change in (subscribe, unsubscribe, subscribe, unsubscribe):
        with statements_under_lock(runtime.database) as statements:
            assert_success(await change(client, member, channel.name))
        assert not [each for each in statements if "user_group" in each]
        assert not [each for each in statements if "FROM subscription_period" in each]
        stars_and_policies = [
            each for each in statements if "FROM message_flag" in each or "FROM user_topic" in each
        ]
        assert len(stars_and_policies) == 2
        assert len(statements) <= UNDER_LOCK


async def test_register_takes_the_same_statements_for_any_number_of_channels(
    client: ApiClient, runtime: Runtime, owner: Person, make_channel: MakeChannel
) -> None:
    async def cost(*, new: int) -> list[str]:
        for _ in range(new):
            await make_channel(subscribers=[owner], invite_only=True)
        wanted = ["subscription", "stream", "default_streams"]
        with recorded_statements(runtime.database, "channel") as statements:
            await listen(client, owner, fetch_event_types=wanted, include_subscribers="true")
        return statements

    await cost(new=1)
    assert await cost(new=1) == await cost(new=5)


class TestManyChannels:
    """The statements a request runs under the lock do not grow with its channels."""

    async def cost_of_creating(
        self, client: ApiClient, runtime: Runtime, person: Person, names: list[str], **params: Any
    ) -> int:
        with statements_under_lock(runtime.database) as statements:
            assert_success(await subscribe(client, person, *names, **params))
        return len(statements)

    @pytest.mark.parametrize("for_others", [False, True])
    async def test_creating_a_hundred_takes_the_statements_of_creating_two(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
        *,
        for_others: bool,
    ) -> None:
        place = await make_channel("news", subscribers=[owner])
        assert_success(
            await client.patch("/realm", owner, new_stream_announcements_stream_id=place.id)
        )
        watcher = await make_user()
        assert_success(await client.post("/users/me/alert_words", watcher, alert_words=["channel"]))
        people = [owner.user_id, watcher.user_id] if for_others else [owner.user_id]
        params = {"principals": people, "announce": True}
        few = await self.cost_of_creating(client, runtime, owner, ["a1", "a2"], **params)
        names = [f"b{number}" for number in range(MAX_CHANNELS)]
        many = await self.cost_of_creating(client, runtime, owner, names, **params)
        assert many <= few + ROOM

    async def test_leaving_and_returning_to_a_hundred_takes_the_statements_of_two(
        self, client: ApiClient, runtime: Runtime, owner: Person, make_user: MakeUser
    ) -> None:
        other = await make_user()
        names = [f"b{number}" for number in range(MAX_CHANNELS)]
        both = {"principals": [owner.user_id, other.user_id]}
        assert_success(await subscribe(client, owner, *names, **both, **QUIETLY))
        leaving, returning = [], []
        for some in (names[:2], names):
            with statements_under_lock(runtime.database) as statements:
                left = await unsubscribe(client, owner, *some, **both)
            assert len(assert_success(left)["removed"]) == len(some)
            leaving.append(len(statements))
            with statements_under_lock(runtime.database) as statements:
                assert_success(await subscribe(client, owner, *some, **both, **QUIETLY))
            returning.append(len(statements))
        assert leaving[1] <= leaving[0] + ROOM
        assert returning[1] <= returning[0] + ROOM

    async def test_changing_properties_of_a_hundred_takes_the_statements_of_two(
        self, client: ApiClient, runtime: Runtime, owner: Person
    ) -> None:
        names = [f"b{number}" for number in range(MAX_CHANNELS)]
        assert_success(await subscribe(client, owner, *names))
        own = assert_success(await client.get(SUBSCRIPTIONS, owner))["subscriptions"]
        costs = []
        for some in (own[:2], own):
            data = [
                {"stream_id": each["stream_id"], "property": name, "value": True}
                for each in some
                for name in ("is_muted", "pin_to_top")
            ]
            with statements_under_lock(runtime.database) as statements:
                changed = await client.post(
                    f"{SUBSCRIPTIONS}/properties", owner, subscription_data=data
                )
            assert_success(changed)
            costs.append(len(statements))
        assert costs[1] <= costs[0] + ROOM
        shown = assert_success(await client.get(SUBSCRIPTIONS, owner))["subscriptions"]
        assert all(each["is_muted"] and each["pin_to_top"] for each in shown)
