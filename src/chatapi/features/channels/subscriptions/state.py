"""The subscriptions part of the POST /register response."""

from typing import cast

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.channels.events import knows_archived_channels
from chatapi.features.channels.listing import ChannelReader
from chatapi.features.channels.subscriptions.listing import (
    IncludeSubscribers,
    SubscriptionReader,
    SubscriptionsState,
)
from chatapi.features.state import public_section, state_section


@public_section("subscription", for_users=False)
async def load_open_channels(ctx: RealmContext, profile: ClientProfile) -> SubscriptionsState:
    """Visitors see web-public channels, without their subscribers."""
    shown = await ChannelReader(ctx).list_shown()
    keeps_archived = knows_archived_channels(profile)
    return {
        "subscriptions": [],
        "unsubscribed": [],
        "never_subscribed": [
            each.json.fragment
            for each in shown
            if keeps_archived or not each.summary.channel.is_archived
        ],
    }


@state_section("subscription")
async def load_subscriptions(ctx: Context, profile: ClientProfile) -> SubscriptionsState:
    """Read in the same snapshot at which the event queue begins."""
    return await SubscriptionReader(ctx).list_own(
        cast(IncludeSubscribers, profile.include_subscribers),
        include_archived=knows_archived_channels(profile),
    )
