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

FolderName = Annotated[str, Field(max_length=MAX_CHANNEL_FOLDER_NAME_LENGTH)]
FolderDescription = Annotated[
    str, Field(max_length=MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH, examples=["All that *we build*."])
]


class CreateFolderParams(Params):
    """SPEC 4.15, POST /channel_folders/create."""

    name: FolderName
    """What clients show above the channels; must differ from other folders in more than case."""
    description: FolderDescription
    """What is in the folder, in Markdown; may be empty."""


class ListFoldersParams(Params):
    """GET /channel_folders."""

    include_archived: bool = False
    """Whether archived folders are listed, too."""


class ReorderFoldersParams(Params):
    """PATCH /channel_folders: the ids of all folders, archived ones too, in their new order."""

    order: Annotated[list[Id], Field(max_length=MAX_FOLDERS)]
    """The ids of all folders, archived ones included, in their new order."""


class ChangeFolderParams(Params):
    """PATCH /channel_folders/{channel_folder_id}: what is not passed stays unchanged."""

    name: FolderName | None = None
    """Replaces the name of the folder."""
    description: FolderDescription | None = None
    """Replaces the description, in Markdown; may be empty."""
    is_archived: bool | None = None
    """Archives or unarchives the folder. It can be archived only if all its channels are."""
