"""The channel folders part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.channels.folders.payloads import FoldersPayload
from chatapi.features.channels.folders.service import FolderService
from chatapi.features.state import shared_by_all, state_section


@state_section("channel_folders", cache_key=shared_by_all)
async def load_channel_folders(ctx: Context, profile: ClientProfile) -> FoldersPayload:
    """Includes archived folders: archived channels may be in them."""
    del profile
    return {"channel_folders": await FolderService(ctx).list_folders(include_archived=True)}
