"""Endpoints of channel folders."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import Admin, LoggedIn
from chatapi.core.ids import ChannelFolderId
from chatapi.features.channels.folders.params import (
    ChangeFolderParams,
    CreateFolderParams,
    ListFoldersParams,
    ReorderFoldersParams,
)
from chatapi.features.channels.folders.payloads import CreatedFolderPayload, FoldersPayload
from chatapi.features.channels.folders.service import FolderService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

FolderInPath = Annotated[
    Id, Field(description="The folder, by its `id` in `GET /channel_folders`.")
]

router = FeatureRouter("Channel folders", "Names under which channels are shown together.")


@router.post("/channel_folders/create")
async def create_channel_folder(ctx: Admin, params: CreateFolderParams) -> CreatedFolderPayload:
    """Create a channel folder.

    Its name must differ from those of all others, archived ones included, in more than case.
    """
    return await FolderService(ctx).create(params)


@router.get("/channel_folders")
async def get_channel_folders(ctx: LoggedIn, params: ListFoldersParams) -> FoldersPayload:
    """Get the channel folders.

    In the order in which clients show them. Channels name their folder in `folder_id`.
    """
    folders = FolderService(ctx)
    return {"channel_folders": await folders.list_folders(include_archived=params.include_archived)}


@router.patch("/channel_folders")
async def reorder_channel_folders(ctx: Admin, params: ReorderFoldersParams) -> None:
    """Change the order of the channel folders.

    For administrators. Pass the ids of all folders, archived ones too. Clients receive a
    `channel_folder/reorder` event.
    """
    await FolderService(ctx).reorder(params)


@router.patch("/channel_folders/{channel_folder_id:int}")
async def change_channel_folder(
    ctx: Admin, channel_folder_id: FolderInPath, params: ChangeFolderParams
) -> None:
    """Change a channel folder.

    A folder can be archived if all channels in it are archived; these leave it if they are
    unarchived before the folder is.
    """
    await FolderService(ctx).change(ChannelFolderId(channel_folder_id), params)
