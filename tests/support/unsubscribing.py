"""Unsubscribe users from channels, as their own request would."""

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.channels.subscriptions.writer import SubscriptionWriter
from tests.factories import Person, acting_as


async def unsubscribe(
    runtime: Runtime, realm: RealmRecord, person: Person, channel: ChannelRecord
) -> None:
    ctx = await acting_as(runtime, realm, person)
    try:
        await ctx.lock()
        await SubscriptionWriter(ctx).remove([person.user_id], [channel])
        await ctx.work.commit()
    finally:
        await ctx.db.close()
