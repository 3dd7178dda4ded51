"""The subscriptions part of the POST /register response."""

from typing import cast

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.channels.events import knows_archived_channels
from chatapi.features.channels.subscriptions.listing import (
    IncludeSubscribers,
    SubscriptionReader,
    SubscriptionsState,
)
from chatapi.features.state import state_section


@state_section("subscription")
async def load_subscriptions(ctx: Context, profile: ClientProfile) -> SubscriptionsState:
    """Read in the same snapshot at which the event queue begins."""
    return await SubscriptionReader(ctx).list_own(
        cast(IncludeSubscribers, profile.include_subscribers),
        include_archived=knows_archived_channels(profile),
    )
