"""Messages of the notification bot about new subscriptions and new channels."""

from collections import defaultdict
from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.auth.notices import ChannelNotice, DirectNotice
from chatapi.auth.users import UserRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.cooperative import map_in_steps, yield_to_event_loop
from chatapi.core.ids import ChannelId, UserId
from chatapi.features.channels.notices import mention, names_of
from chatapi.features.channels.repository import ChannelRepository, MembershipDelta
from chatapi.wire.limits import MAX_SUBSCRIPTION_MESSAGES

_ANNOUNCEMENTS_TOPIC = "new channels"


async def greet(
    ctx: Context,
    users: Sequence[UserRecord],
    channels: Sequence[ChannelRecord],
    arrivals: MembershipDelta,
) -> bool:
    """Send a direct message to users whom another user subscribed; returns whether any was sent.

    None is sent if there are too many users.
    """
    joined: defaultdict[UserId, list[ChannelRecord]] = defaultdict(list)
    for channel in channels:
        for user_id in arrivals.get(channel.id, ()):
            joined[user_id].append(channel)
    greeted = [
        user for user in users if user.id in joined and user.id != ctx.user.id and not user.is_bot
    ]
    if not greeted or len(greeted) > MAX_SUBSCRIPTION_MESSAGES:
        return False
    texts = await map_in_steps(lambda user: _greeting(ctx.user, joined[user.id]), greeted)
    await yield_to_event_loop()
    notices = [DirectNotice(user.id, text) for user, text in zip(greeted, texts, strict=True)]
    await ctx.runtime.post_notices(ctx, notices, names_of(ctx.user, list(channels)))
    return True


async def announce(ctx: Context, created: Sequence[ChannelRecord]) -> None:
    """Post about new channels if the realm's settings ask for it; never about private ones."""
    public = [channel for channel in created if channel.is_public]
    place_id = ChannelId(ctx.realm.options.new_stream_announcements_stream_id)
    place = await ChannelRepository(ctx.db, ctx.realm.id).find(place_id)
    if not public or place is None or place.is_archived:
        return
    topic = "" if place.topics_policy == "empty_topic_only" else _ANNOUNCEMENTS_TOPIC
    links = ", ".join(f"#**{channel.name}**" for channel in public)
    noun = "a new channel" if len(public) == 1 else "new channels"
    text = f"{mention(ctx.user)} created {noun}: {links}."
    await ctx.runtime.post_notices(
        ctx, [ChannelNotice(place, topic, text)], names_of(ctx.user, public)
    )


def _greeting(actor: UserRecord, channels: Sequence[ChannelRecord]) -> str:
    if len(channels) == 1:
        return f"{mention(actor)} subscribed you to the channel #**{channels[0].name}**."
    names = "\n".join(f"* #**{channel.name}**" for channel in channels)
    return f"{mention(actor)} subscribed you to the following channels:\n\n{names}"
