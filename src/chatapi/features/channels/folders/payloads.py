"""Payloads of channel folders."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.channels.repository import FolderRecord
from chatapi.wire.types import UnixSeconds


class FolderPayload(TypedDict):
    """A channel folder."""

    id: int
    name: str
    description: str
    rendered_description: str
    order: int
    """Folders with smaller numbers come first."""
    date_created: UnixSeconds | None
    creator_id: int | None
    is_archived: bool


class FoldersPayload(TypedDict):
    """Channel folders in their order."""

    channel_folders: list[FolderPayload]


class CreatedFolderPayload(TypedDict):
    """The id of a new channel folder."""

    channel_folder_id: int


def folder_payload(folder: FolderRecord) -> FolderPayload:
    return {
        "id": folder.id,
        "name": folder.name,
        "description": folder.description,
        "rendered_description": folder.rendered_description,
        "order": folder.position,
        "date_created": unix_seconds(folder.date_created),
        "creator_id": folder.creator_id,
        "is_archived": folder.is_archived,
    }
