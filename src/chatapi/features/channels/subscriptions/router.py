"""Endpoints of subscriptions."""

from chatapi.auth.guards import LoggedIn
from chatapi.channel_cache.errors import StreamDoesNotExistError
from chatapi.core.errors import AdministratorRequiredError, OwnerRequiredError
from chatapi.core.ids import ChannelId, UserId
from chatapi.features.channels.errors import ChannelAlreadyExistsError
from chatapi.features.channels.params import CreateChannelParams
from chatapi.features.channels.payloads import CreatedChannelPayload, SubscribersPayload
from chatapi.features.channels.subscription_payloads import (
    ChangedSubscriptionsPayload,
    IsSubscribedPayload,
    SubscribedChannelsPayload,
    SubscribedPayload,
    SubscriptionsPayload,
    UnsubscribedPayload,
)
from chatapi.features.channels.subscriptions.listing import SubscriptionReader
from chatapi.features.channels.subscriptions.params import (
    ChangePropertiesParams,
    ChangePropertyParams,
    ChangeSubscriptionsParams,
    ListSubscriptionsParams,
    PropertyChange,
    SubscribeParams,
    UnsubscribeParams,
)
from chatapi.features.channels.subscriptions.properties import PropertyService
from chatapi.features.channels.subscriptions.service import SubscriptionService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import ChannelInPath, UserInPath

router = FeatureRouter("Subscriptions", "Who is in which channel, and what they chose for it.")


@router.get("/users/me/subscriptions")
async def get_subscriptions(ctx: LoggedIn, params: ListSubscriptionsParams) -> SubscriptionsPayload:
    """Get the channels to which you are subscribed.

    Each with your settings for it, such as its colour; archived channels are left out.
    """
    return await SubscriptionReader(ctx).list_subscribed(params.include_subscribers)


@router.post(
    "/users/me/subscriptions",
    responses=raises(AdministratorRequiredError, OwnerRequiredError),
)
async def subscribe(ctx: LoggedIn, params: SubscribeParams) -> SubscribedPayload:
    """Subscribe yourself or others to channels; those that do not exist are created.

    Members may join public channels, private ones only if the channel's settings permit it.
    Subscribing others needs `can_add_subscribers_group` of the channel, or that of the organization
    and a channel in which you can read. All parameters but the first few are for new channels, and
    ignored for channels that exist.
    """
    return await SubscriptionService(ctx).subscribe(params)


@router.patch("/users/me/subscriptions", responses=raises(StreamDoesNotExistError))
async def change_subscriptions(
    ctx: LoggedIn, params: ChangeSubscriptionsParams
) -> ChangedSubscriptionsPayload:
    """Unsubscribe from some channels and subscribe to others.

    For yourself only, and either everything is done or nothing. Events are those of the two
    requests it combines.
    """
    return await SubscriptionService(ctx).change(params)


@router.delete("/users/me/subscriptions", responses=raises(StreamDoesNotExistError))
async def unsubscribe(ctx: LoggedIn, params: UnsubscribeParams) -> UnsubscribedPayload:
    """Unsubscribe yourself or others from channels.

    You can always unsubscribe yourself and your bots. Others can be unsubscribed by members of the
    channel's `can_remove_subscribers_group` and by users who may administer the channel.
    """
    return await SubscriptionService(ctx).unsubscribe(params)


@router.post("/users/me/subscriptions/properties")
async def change_subscription_properties(ctx: LoggedIn, params: ChangePropertiesParams) -> None:
    """Change your settings for several channels.

    You must be subscribed to all of them; either all changes are made or none. Your clients receive
    a `subscription/update` event for each.
    """
    await PropertyService(ctx).change(params.subscription_data)


@router.patch("/users/me/subscriptions/{stream_id:int}")
async def change_subscription_property(
    ctx: LoggedIn, stream_id: ChannelInPath, params: ChangePropertyParams
) -> None:
    """Change one of your settings for a channel.

    You must be subscribed to it. Your clients receive a `subscription/update` event; for `is_muted`
    another one with the older name `in_home_view`.
    """
    change = PropertyChange(stream_id=stream_id, property=params.property, value=params.value)
    await PropertyService(ctx).change([change])


@router.get("/users/{user_id:int}/subscriptions/{stream_id:int}")
async def get_subscription_status(
    ctx: LoggedIn, user_id: UserInPath, stream_id: ChannelInPath
) -> IsSubscribedPayload:
    """Find out whether a user is subscribed to a channel.

    You must be able to see the channel and the user. Deactivated users are subscribed to nothing.
    """
    return await SubscriptionReader(ctx).is_subscribed(UserId(user_id), ChannelId(stream_id))


@router.get("/users/{user_id:int}/channels")
async def get_channels_of_user(ctx: LoggedIn, user_id: UserInPath) -> SubscribedChannelsPayload:
    """Get the channels to which a user is subscribed.

    Only those that you can see.
    """
    return await SubscriptionReader(ctx).list_channels_of(UserId(user_id))


@router.get("/streams/{stream_id:int}/members")
async def get_subscribers(ctx: LoggedIn, stream_id: ChannelInPath) -> SubscribersPayload:
    """Get the subscribers of a channel.

    You must be able to see the channel. Deactivated users are left out, and for guests who see only
    some users, the others.
    """
    return await SubscriptionReader(ctx).list_members(ChannelId(stream_id))


@router.post(
    "/channels/create",
    responses=raises(ChannelAlreadyExistsError, AdministratorRequiredError, OwnerRequiredError),
)
async def create_channel(ctx: LoggedIn, params: CreateChannelParams) -> CreatedChannelPayload:
    """Create a channel with its first subscribers.

    You are among them only if you name yourself.
    """
    return await SubscriptionService(ctx).create(params)
