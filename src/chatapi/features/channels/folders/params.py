"""Parameters of channel folders."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.limits import (
    MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
    MAX_CHANNEL_FOLDER_NAME_LENGTH,
)
from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_FOLDERS = 500
"""Limit per realm, archived ones included: every client loads all of them."""

FolderName = Annotated[
    str, Field(max_length=MAX_CHANNEL_FOLDER_NAME_LENGTH, examples=["Engineering"])
]
FolderDescription = Annotated[
    str, Field(max_length=MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH, examples=["All that *we build*."])
]


class CreateFolderParams(Params):
    """SPEC 4.15, POST /channel_folders/create."""

    name: FolderName
    description: FolderDescription
    """May be empty."""


class ListFoldersParams(Params):
    """GET /channel_folders."""

    include_archived: bool = False


class ReorderFoldersParams(Params):
    """PATCH /channel_folders: the ids of all folders, archived ones too, in their new order."""

    order: Annotated[list[Id], Field(max_length=MAX_FOLDERS, examples=[[2, 1]])]


class ChangeFolderParams(Params):
    """PATCH /channel_folders/{channel_folder_id}: what is not passed stays unchanged."""

    name: FolderName | None = None
    description: FolderDescription | None = None
    is_archived: bool | None = None
