"""Endpoints of channels."""

from chatapi.auth.guards import Admin, LoggedIn, MaybeAnonymous
from chatapi.core.errors import AdministratorRequiredError, OwnerRequiredError
from chatapi.core.ids import ChannelId
from chatapi.features.channels.listing import ChannelReader, TopicReader
from chatapi.features.channels.params import (
    ChangeChannelParams,
    DefaultChannelParams,
    GetChannelEmailParams,
    GetChannelIdParams,
    ListChannelsParams,
    ListTopicsParams,
)
from chatapi.features.channels.payloads import (
    ChannelEmailPayload,
    ChannelIdPayload,
    ChannelsPayload,
    OneChannelPayload,
    TopicsPayload,
)
from chatapi.features.channels.settings.service import ChannelService
from chatapi.http.operation import Revalidated
from chatapi.http.route import FeatureRouter, raises
from chatapi.permissions.errors import ExpectationMismatchError
from chatapi.wire.types import ChannelInPath

router = FeatureRouter("Channels", "The places where conversations with topics happen.")


@router.get("/streams")
async def get_channels(ctx: LoggedIn, params: ListChannelsParams) -> Revalidated[ChannelsPayload]:
    """Get channels.

    Only those that you can see: public channels for all but guests, private ones for their
    subscribers, for administrators and for users whom their settings name.
    """
    return await ChannelReader(ctx).list_channels(params)


@router.get("/streams/{stream_id:int}")
async def get_channel(ctx: LoggedIn, stream_id: ChannelInPath) -> OneChannelPayload:
    """Get one channel.

    A channel that you may not know of gets the same error as one that does not exist.
    """
    return await ChannelReader(ctx).get(ChannelId(stream_id))


@router.patch(
    "/streams/{stream_id:int}",
    responses=raises(ExpectationMismatchError, AdministratorRequiredError, OwnerRequiredError),
)
async def change_channel(
    ctx: LoggedIn, stream_id: ChannelInPath, params: ChangeChannelParams
) -> None:
    """Change a channel.

    For administrators and members of its `can_administer_channel_group`. To change what kind of
    channel it is, you need the permission to create such a channel, and must be able to read in it.
    A permission is changed by `{"new": ..., "old": ...}`; pass `old` to be refused if another user
    changed it before you. An archived channel can only be unarchived, which is for administrators.
    """
    await ChannelService(ctx).change(ChannelId(stream_id), params)


@router.delete("/streams/{stream_id:int}")
async def archive_channel(ctx: LoggedIn, stream_id: ChannelInPath) -> None:
    """Archive a channel.

    Its messages stay readable for users who could read them; nothing can be added or changed until
    it is unarchived.
    """
    await ChannelService(ctx).archive(ChannelId(stream_id))


@router.get("/streams/{stream_id:int}/email_address")
async def get_channel_email_address(
    ctx: LoggedIn, stream_id: ChannelInPath, _params: GetChannelEmailParams
) -> ChannelEmailPayload:
    """Get the address that posts mail to a channel.

    Always refused: this server does not receive email.
    """
    return await ChannelReader(ctx).get_email_address(ChannelId(stream_id))


@router.get("/get_stream_id")
async def get_channel_id(ctx: LoggedIn, params: GetChannelIdParams) -> ChannelIdPayload:
    """Get the id of a channel by its name.

    A channel that you may not know of gets the same error as one that does not exist.
    """
    return await ChannelReader(ctx).find_id(params.stream)


@router.get("/users/me/{stream_id:int}/topics")
async def get_topics(
    ctx: MaybeAnonymous, stream_id: ChannelInPath, params: ListTopicsParams
) -> TopicsPayload:
    """Get the topics of a channel.

    Those with the newest messages come first. Where history is protected, only topics with messages
    that you may see are listed.
    """
    return await TopicReader(ctx).list_topics(ChannelId(stream_id), params)


@router.post("/default_streams")
async def add_default_channel(ctx: Admin, params: DefaultChannelParams) -> None:
    """Add a channel to those that new users join.

    For administrators. A private channel is refused. Users who exist already are not subscribed.
    Members receive a `default_streams` event.
    """
    await ChannelService(ctx).set_default(ChannelId(params.stream_id), is_default=True)


@router.delete("/default_streams")
async def remove_default_channel(ctx: Admin, params: DefaultChannelParams) -> None:
    """Remove a channel from those that new users join.

    For administrators. No user is unsubscribed. Members receive a `default_streams` event.
    """
    await ChannelService(ctx).set_default(ChannelId(params.stream_id), is_default=False)
