"""Payloads of channel folders."""

from typing_extensions import TypedDict

from chatapi.core.clock import unix_seconds
from chatapi.features.channels.repository import FolderRecord
from chatapi.wire.types import UnixSeconds


class FolderPayload(TypedDict):
    """A channel folder."""

    id: int
    """Names the folder in `folder_id` of channels."""
    name: str
    """What clients show above the channels of the folder."""
    description: str
    """What is in the folder, in Markdown; may be empty."""
    rendered_description: str
    """The description as HTML."""
    order: int
    """Folders with smaller numbers come first."""
    date_created: UnixSeconds | None
    """When it was created, in Unix seconds; null if that is not known."""
    creator_id: int | None
    """The user who created it; null if that is not known."""
    is_archived: bool
    """Whether it is hidden from lists; its channels are archived, too."""


class FoldersPayload(TypedDict):
    """Channel folders in their order."""

    channel_folders: list[FolderPayload]
    """The folders in the order in which clients show them."""


class CreatedFolderPayload(TypedDict):
    """The id of a new channel folder."""

    channel_folder_id: int
    """The id of the new folder."""


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
