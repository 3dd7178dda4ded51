"""Events about channel folders; everybody is told, as everybody can see all of them."""

from typing import ClassVar, NotRequired

from typing_extensions import TypedDict

from chatapi.core.ids import ChannelFolderId
from chatapi.events.event import Event
from chatapi.features.channel_folders.payloads import FolderPayload


class FolderAdded(Event):
    """A channel folder was created."""

    type = "channel_folder"
    op: ClassVar = "add"

    channel_folder: FolderPayload


class FolderChangePayload(TypedDict):
    """What changed about a folder; what did not is left out."""

    name: NotRequired[str]
    description: NotRequired[str]
    rendered_description: NotRequired[str]
    is_archived: NotRequired[bool]


class FolderUpdated(Event):
    """A channel folder was changed, archived or unarchived."""

    type = "channel_folder"
    op: ClassVar = "update"

    channel_folder_id: ChannelFolderId
    data: FolderChangePayload


class FoldersReordered(Event):
    """The channel folders have another order."""

    type = "channel_folder"
    op: ClassVar = "reorder"

    order: list[int]
    """The ids of all folders."""
