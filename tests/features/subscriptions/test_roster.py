"""What being in a channel leaves behind in the database, on both of them."""

from sqlalchemy import select

from chatapi.auth.runtime import Runtime
from chatapi.db.models import Subscription, SubscriptionPeriod
from chatapi.db.session import DatabaseSession
from tests.factories import MakeChannel, Person


async def test_a_channel_is_made_with_people_in_it(
    runtime: Runtime, make_channel: MakeChannel, member: Person, guest: Person
) -> None:
    channel = await make_channel("general", subscribers=[member, guest], description="All *of it*")
    assert channel.name == "general"
    assert channel.subscriber_count == 2
    assert channel.rendered_description == "<p>All <em>of it</em></p>"
    async with DatabaseSession(runtime.database) as db:
        rows = await db.execute(select(Subscription.user_id, Subscription.is_active))
        assert {tuple(row) for row in rows} == {(member.user_id, True), (guest.user_id, True)}
        periods = await db.execute(select(SubscriptionPeriod.until_event))
        assert [until for (until,) in periods] == [None, None]
