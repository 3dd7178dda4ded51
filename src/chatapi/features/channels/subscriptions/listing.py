"""Lists channels with the reader's settings and, if requested, their subscribers."""

from typing import Literal, cast

import orjson
from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelSummary
from chatapi.core.ids import ChannelId, UserId
from chatapi.features.channels.access import ChannelFinder
from chatapi.features.channels.listing import ChannelReader
from chatapi.features.channels.payloads import SubscribersPayload
from chatapi.features.channels.repository import ChannelRepository, SubscriptionRepository
from chatapi.features.channels.subscription_payloads import (
    EncodedKnownChannel,
    EncodedSubscription,
    IsSubscribedPayload,
    SubscribedChannelsPayload,
    SubscriptionsPayload,
    WithSubscribers,
    choice_members,
)
from chatapi.permissions.channels import channel_access
from chatapi.permissions.user_lookup import find_user
from chatapi.permissions.user_visibility import user_visibility

IncludeSubscribers = Literal["true", "false", "partial"]
_FEW = 250
"""Channels with at most this many subscribers list all of them when `partial` is requested."""


class SubscriptionsState(TypedDict):
    """All channels that the caller can see: subscribed, formerly subscribed, never subscribed."""

    subscriptions: list[EncodedSubscription]
    """The channels to which you are subscribed, with your settings for them."""
    unsubscribed: list[EncodedSubscription]
    """Channels that you left and can still see, with the settings you had."""
    never_subscribed: list[EncodedKnownChannel]
    """The other channels that you can see."""


class SubscriptionReader:
    """Reads the caller's subscriptions, and those of others as far as the caller may see them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._channels = ChannelReader(ctx)
        self._subscriptions = SubscriptionRepository(ctx.db, ctx.realm.id)

    async def list_subscribed(
        self, include_subscribers: IncludeSubscribers
    ) -> SubscriptionsPayload:
        """GET /users/me/subscriptions."""
        await self._ctx.snapshot()
        own = await self.list_own(include_subscribers, include_archived=False)
        return {"subscriptions": own["subscriptions"]}

    async def list_own(
        self, include_subscribers: IncludeSubscribers, *, include_archived: bool
    ) -> SubscriptionsState:
        """In a snapshot; a few statements, however many channels there are."""
        choices = await self._subscriptions.own(self._ctx.user.id)
        inside: list[EncodedSubscription] = []
        outside: list[EncodedSubscription] = []
        never_inside: list[EncodedKnownChannel] = []
        subscribers = await self._subscribers(include_subscribers)
        for shown in await self._channels.list_shown():
            channel = shown.summary.channel
            if channel.is_archived and not include_archived:
                continue
            listed = _listed(shown.summary, subscribers, include_subscribers)
            if channel.id not in choices:
                never_inside.append(shown.json.continued(listed))
                continue
            chosen, is_inside = choices[channel.id]
            place = inside if is_inside else outside
            place.append(shown.json.continued({**choice_members(chosen.to_wire()), **listed}))
        return {
            "subscriptions": inside,
            "unsubscribed": outside,
            "never_subscribed": never_inside,
        }

    async def list_members(self, channel_id: ChannelId) -> SubscribersPayload:
        """GET /streams/{stream_id}/members."""
        channel = await ChannelFinder(self._ctx).get_known(channel_id)
        present = await self._subscriptions.list_active_subscribers(channel.id)
        visibility = await user_visibility(self._ctx)
        return {"subscribers": [*visibility.among(map(UserId, present))]}

    async def is_subscribed(self, user_id: UserId, channel_id: ChannelId) -> IsSubscribedPayload:
        """GET /users/{user_id}/subscriptions/{stream_id}."""
        user = await find_user(self._ctx, str(user_id))
        channel = await ChannelFinder(self._ctx).get_known(channel_id)
        channel_ids = await self._subscriptions.channel_ids_of(user.id)
        return {"is_subscribed": user.is_active and channel.id in channel_ids}

    async def list_channels_of(self, user_id: UserId) -> SubscribedChannelsPayload:
        """GET /users/{user_id}/channels."""
        user = await find_user(self._ctx, str(user_id))
        channel_ids = await self._subscriptions.channel_ids_of(user.id)
        access = await channel_access(self._ctx)
        channels = await ChannelRepository(self._ctx.db, self._ctx.realm.id).list_all()
        known = [
            channel.id
            for channel in channels
            if channel.id in channel_ids and access.can_see(channel)
        ]
        return {"subscribed_channel_ids": [*known]}

    async def _subscribers(self, include_subscribers: IncludeSubscribers) -> dict[ChannelId, str]:
        if include_subscribers == "false":
            return {}
        few = _FEW if include_subscribers == "partial" else None
        subscribers = await self._subscriptions.subscribers_as_text(few)
        visibility = await user_visibility(self._ctx)
        if visibility.sees_all_users:
            return subscribers
        return {
            channel_id: ",".join(
                map(str, visibility.among(UserId(int(each)) for each in ids.split(",")))
            )
            for channel_id, ids in subscribers.items()
        }


def _listed(
    summary: ChannelSummary,
    subscribers: dict[ChannelId, str],
    include_subscribers: IncludeSubscribers,
) -> WithSubscribers:
    """The subscriber ids as the database joined them: already valid JSON, so inserted as is."""
    if include_subscribers == "false":
        return {}
    ids = subscribers.get(summary.channel.id, "")
    fragment = cast(list[int], orjson.Fragment(f"[{ids}]"))
    if include_subscribers == "partial" and summary.subscriber_count > _FEW:
        return {"partial_subscribers": fragment}
    return {"subscribers": fragment}
