"""The channels part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.channels.events import knows_archived_channels
from chatapi.features.channels.listing import ChannelReader
from chatapi.features.channels.payloads import EncodedChannel
from chatapi.features.channels.repository import ChannelRepository
from chatapi.features.state import public_section, state_section


class ChannelsState(TypedDict):
    """All channels that the caller can see; archived ones only for clients that know them."""

    streams: list[EncodedChannel]
    """All channels that you can see, subscribed or not; archived ones only for clients with
    `archived_channels`."""


class DefaultChannelsState(TypedDict):
    """The channels that new users join; empty for guests."""

    realm_default_streams: list[int]
    """Ids of the channels that new users join; empty for guests."""


@public_section("stream")
async def load_channels(ctx: RealmContext, profile: ClientProfile) -> ChannelsState:
    keeps_archived = knows_archived_channels(profile)
    return {
        "streams": [
            shown.json.fragment
            for shown in await ChannelReader(ctx).list_shown()
            if keeps_archived or not shown.summary.channel.is_archived
        ]
    }


def _is_member(ctx: Context, _profile: ClientProfile) -> bool:
    return ctx.user.role.is_member


@state_section("default_streams", cache_key=_is_member)
async def load_default_channels(ctx: Context, _profile: ClientProfile) -> DefaultChannelsState:
    if not ctx.user.role.is_member:
        return {"realm_default_streams": []}
    defaults = await ChannelRepository(ctx.db, ctx.realm.id).list_defaults()
    return {"realm_default_streams": [channel.id for channel in defaults]}
