"""Events about channel folders; delivered to all users, as all users can see all folders."""

from typing import ClassVar, NotRequired

from typing_extensions import TypedDict

from chatapi.core.ids import ChannelFolderId
from chatapi.events.event import Event
from chatapi.features.channels.folders.payloads import FolderPayload


class FolderAdded(Event):
    """A channel folder was created."""

    type = "channel_folder"
    op: ClassVar = "add"

    channel_folder: FolderPayload
    """The new folder; it is the last one in the order."""


class FolderChangePayload(TypedDict):
    """The changed properties of a folder; unchanged ones are left out."""

    name: NotRequired[str]
    """The new name of the folder."""
    description: NotRequired[str]
    """The new description, in Markdown."""
    rendered_description: NotRequired[str]
    """The new description as HTML; comes with `description`."""
    is_archived: NotRequired[bool]
    """Whether the folder is archived now."""


class FolderUpdated(Event):
    """A channel folder was changed, archived or unarchived."""

    type = "channel_folder"
    op: ClassVar = "update"

    channel_folder_id: ChannelFolderId
    """The folder that changed."""
    data: FolderChangePayload
    """Only what changed."""


class FoldersReordered(Event):
    """The order of the channel folders changed."""

    type = "channel_folder"
    op: ClassVar = "reorder"

    order: list[int]
    """The ids of all folders in their new order."""
