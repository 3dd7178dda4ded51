"""Rows written for subscriptions, on both databases."""

import asyncio

from sqlalchemy import select

from chatapi.auth.runtime import Runtime
from chatapi.db.models import Channel, Subscription, SubscriptionPeriodRow
from chatapi.db.session import DatabaseSession
from chatapi.permissions.readers import load_subscription_periods
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import channel_of, members_of, subscribe, unsubscribe
from tests.support.client import ApiClient
from tests.support.responses import assert_success


async def test_channel_is_created_with_subscribers(
    runtime: Runtime, make_channel: MakeChannel, member: Person, guest: Person
) -> None:
    channel = await make_channel("general", subscribers=[member, guest], description="All *of it*")
    assert channel.name == "general"
    assert channel.rendered_description == "<p>All <em>of it</em></p>"
    async with DatabaseSession(runtime.database) as db:
        rows = await db.execute(select(Subscription.user_id, Subscription.is_active))
        assert {tuple(row) for row in rows} == {(member.user_id, True), (guest.user_id, True)}
        periods = await db.execute(select(SubscriptionPeriodRow.until_event))
        assert [until for (until,) in periods] == [None, None]
        counts = await db.execute(select(Channel.subscriber_count))
        assert counts.scalars().all() == [2]


async def test_subscription_periods_are_stored_in_event_numbers_and_message_ids(
    client: ApiClient,
    runtime: Runtime,
    make_channel: MakeChannel,
    owner: Person,
    member: Person,
) -> None:
    channel = await make_channel("general", subscribers=[owner])

    async def send() -> int:
        message = {"type": "stream", "to": channel.id, "topic": "t", "content": "Hello"}
        return int(assert_success(await client.post("/messages", owner, **message))["id"])

    first = await send()
    assert_success(await subscribe(client, member, "general"))
    second = await send()
    assert_success(await unsubscribe(client, member, "general"))
    third = await send()
    assert_success(await subscribe(client, member, "general"))
    async with DatabaseSession(runtime.database) as db:
        periods = (await load_subscription_periods(db, member.user_id))[channel.id]
        read_up_to = await db.execute(
            select(Subscription.read_up_to).where(Subscription.user_id == member.user_id)
        )
        assert read_up_to.scalar_one() == third
    assert [(period.since_message, period.until_message) for period in periods] == [
        (first, second),
        (third, None),
    ]
    assert periods[0].until_event is not None
    assert periods[0].since_event < periods[0].until_event < periods[1].since_event


async def test_concurrent_subscribing_and_unsubscribing_counts_each_user_once(
    client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
) -> None:
    channel = await make_channel("general")
    people = [await make_user() for _ in range(4)]
    joins = [subscribe(client, person, "general") for person in people for _ in range(2)]
    for response in await asyncio.gather(*joins):
        assert_success(response)
    shown = await channel_of(client, owner, channel)
    assert shown["subscriber_count"] == len(await members_of(client, owner, channel)) == 4
    leaves = [unsubscribe(client, person, "general") for person in people[:2] for _ in range(2)]
    for response in await asyncio.gather(*leaves):
        assert_success(response)
    shown = await channel_of(client, owner, channel)
    assert shown["subscriber_count"] == len(await members_of(client, owner, channel)) == 2


async def test_channel_created_concurrently_exists_once(
    client: ApiClient, make_user: MakeUser, owner: Person
) -> None:
    people = [await make_user() for _ in range(4)]
    for response in await asyncio.gather(*(subscribe(client, each, "new") for each in people)):
        assert_success(response)
    (stream,) = assert_success(await client.get("/streams", owner))["streams"]
    assert stream["subscriber_count"] == 4
