"""The channel folders part of the POST /register response."""

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.channels.folders.payloads import FoldersPayload, folder_payload
from chatapi.features.channels.folders.service import FolderService
from chatapi.features.channels.listing import ChannelReader
from chatapi.features.channels.repository import FolderRepository
from chatapi.features.state import public_section, shared_by_all, state_section


@public_section("channel_folders", for_users=False)
async def load_open_folders(ctx: RealmContext, _profile: ClientProfile) -> FoldersPayload:
    """Visitors see the folders of the channels that they see."""
    shown = {each.summary.channel.folder_id for each in await ChannelReader(ctx).list_shown()}
    folders = await FolderRepository(ctx.db, ctx.realm.id).list_all()
    return {"channel_folders": [folder_payload(each) for each in folders if each.id in shown]}


@state_section("channel_folders", cache_key=shared_by_all)
async def load_channel_folders(ctx: Context, profile: ClientProfile) -> FoldersPayload:
    """Includes archived folders: archived channels may be in them."""
    del profile
    return {"channel_folders": await FolderService(ctx).list_folders(include_archived=True)}
