"""The channel with which an organization begins: there is something to read and to reply to."""

from chatapi.auth.caller_cache import Caller
from chatapi.auth.context import RealmContext
from chatapi.auth.notices import ChannelNotice
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.features.channels import (
    ChannelCreator,
    ChannelOptions,
    NewChannel,
    SubscriptionWriter,
    names_of,
)

FIRST_CHANNEL = "general"
WELCOME_TOPIC = "welcome"
_DESCRIPTION = "For everyone, about everything."
_CLIENT_NAME = "Internal"
_WELCOME = """\
Welcome! This is #**general**, the channel that everyone joins. Messages in a channel have a \
topic: reply to this one, or start a topic of your own.

- Write *Markdown*, mention people with `@`, add reactions :tada:.
- The docs page of this server, `/docs`, shows every request of the API and can send it.
"""


async def add_first_channel(ctx: RealmContext, creator: UserRecord) -> None:
    """Create the default channel of a new realm, with the users so far and a welcome message.

    Call it in the transaction that creates the realm. Users who are added later join the channel
    as a default channel.
    """
    await ctx.lock()
    # Sending reads caches, which follow the feed.
    ctx.runtime.hub.start_feed(ctx.realm.id)
    users = await UserRows(ctx.db, ctx.realm.id).list_all()
    members = [user.id for user in users if user.is_active and not user.is_bot]
    acting = ctx.acting_as(Caller(creator), _CLIENT_NAME)
    new = NewChannel(FIRST_CHANNEL, _DESCRIPTION)
    options = ChannelOptions(is_default_stream=True)
    [channel] = await ChannelCreator(acting, options).create([new])
    await SubscriptionWriter(ctx).add(members, [channel], new=[channel.id])
    welcome = ChannelNotice(channel, WELCOME_TOPIC, _WELCOME)
    await ctx.runtime.post_notices(ctx, [welcome], names_of(creator, [channel]))
