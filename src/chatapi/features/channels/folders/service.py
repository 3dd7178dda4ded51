"""Use cases: create, change and reorder channel folders."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelFolderId
from chatapi.core.names import name_key
from chatapi.events.audience import Everyone
from chatapi.features.channels.folders.events import (
    FolderAdded,
    FolderChangePayload,
    FoldersReordered,
    FolderUpdated,
)
from chatapi.features.channels.folders.params import (
    MAX_FOLDERS,
    ChangeFolderParams,
    CreateFolderParams,
    ReorderFoldersParams,
)
from chatapi.features.channels.folders.payloads import (
    CreatedFolderPayload,
    FolderPayload,
    folder_payload,
)
from chatapi.features.channels.repository import FolderRecord, FolderRepository
from chatapi.features.channels.rules import check_name
from chatapi.rendering import render_markdown


class FolderService:
    """Changes folders for administrators; all users may read them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._folders = FolderRepository(ctx.db, ctx.realm.id)

    async def list_folders(self, *, include_archived: bool) -> list[FolderPayload]:
        return [
            folder_payload(folder)
            for folder in await self._folders.list_all()
            if include_archived or not folder.is_archived
        ]

    async def create(self, params: CreateFolderParams) -> CreatedFolderPayload:
        """SPEC 4.15, POST /channel_folders/create: a folder after all others."""
        name = check_name(params.name)
        rendered = render_markdown(params.description)
        await self._ctx.lock()
        await self._check_is_free(name)
        count, last_position = await self._folders.size()
        if count >= MAX_FOLDERS:
            raise BadRequestError(f"An organization can have {MAX_FOLDERS} channel folders at most")
        folder_id = await self._folders.add(
            name=name,
            name_key=name_key(name),
            description=params.description,
            rendered_description=rendered,
            position=last_position + 1,
            date_created=self._ctx.now(),
            creator_id=self._ctx.user.id,
        )
        folder = await self._folders.get(folder_id)
        self._ctx.emit(FolderAdded(channel_folder=folder_payload(folder)), to=Everyone())
        return {"channel_folder_id": folder_id}

    async def change(self, folder_id: ChannelFolderId, params: ChangeFolderParams) -> None:
        """PATCH /channel_folders/{channel_folder_id}: only actual changes are emitted."""
        await self._ctx.lock()
        folder = await self._folders.get(folder_id)
        changes = await self._plan(folder, params)
        if not changes:
            return
        key = {"name_key": name_key(changes["name"])} if "name" in changes else {}
        await self._folders.change(folder_id, **changes, **key)
        self._ctx.emit(FolderUpdated(channel_folder_id=folder_id, data=changes), to=Everyone())

    async def reorder(self, params: ReorderFoldersParams) -> None:
        """PATCH /channel_folders: the list contains each folder once."""
        await self._ctx.lock()
        before = [int(folder.id) for folder in await self._folders.list_all()]
        if sorted(params.order) != sorted(before):
            raise BadRequestError("order must contain the id of every folder exactly once")
        if params.order != before:
            await self._folders.reorder(params.order)
            self._ctx.emit(FoldersReordered(order=params.order), to=Everyone())

    async def _plan(self, folder: FolderRecord, params: ChangeFolderParams) -> FolderChangePayload:
        changes: FolderChangePayload = {}
        if params.name is not None and (name := check_name(params.name)) != folder.name:
            if name_key(name) != name_key(folder.name):
                await self._check_is_free(name)
            changes["name"] = name
        if params.description is not None and params.description != folder.description:
            changes["description"] = params.description
            changes["rendered_description"] = render_markdown(params.description)
        if params.is_archived is not None and params.is_archived is not folder.is_archived:
            if params.is_archived and await self._folders.has_channels(folder.id):
                raise BadRequestError(
                    "is_archived: You need to remove all the channels from this folder to"
                    " archive it."
                )
            changes["is_archived"] = params.is_archived
        return changes

    async def _check_is_free(self, name: str) -> None:
        """Archived folders keep their names: they can be unarchived at any time."""
        if await self._folders.find_named(name) is not None:
            raise BadRequestError("name: Channel folder name is already in use")
