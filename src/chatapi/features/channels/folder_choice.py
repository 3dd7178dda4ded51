"""Validates the folder of a channel."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelFolderId
from chatapi.features.channels.repository import FolderRepository


async def folder_for_channel(ctx: Context, folder_id: int) -> ChannelFolderId:
    """A folder of the realm that is not archived; any other id is an error."""
    folder = await FolderRepository(ctx.db, ctx.realm.id).get(ChannelFolderId(folder_id))
    if folder.is_archived:
        raise BadRequestError("folder_id: Channel folder is archived")
    return folder.id
