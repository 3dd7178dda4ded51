"""People who leave channels, as if they had asked for it."""

from chatapi.auth.realms import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channels.records import ChannelRecord
from chatapi.features.subscriptions.roster import Roster
from tests.factories import Person, acting_as


async def leave(
    runtime: Runtime, realm: RealmRecord, person: Person, channel: ChannelRecord
) -> None:
    ctx = await acting_as(runtime, realm, person)
    try:
        await ctx.lock()
        await Roster(ctx).remove([person.user_id], [channel])
        await ctx.work.commit()
    finally:
        await ctx.db.close()
