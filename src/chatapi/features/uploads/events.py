"""Events about uploaded files; only the user who uploaded a file receives them."""

from typing import ClassVar

from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.event import Event
from chatapi.features.uploads.payloads import AttachmentPayload, RemovedAttachmentPayload


class AttachmentAdded(Event):
    """The reader uploaded a file."""

    type = "attachment"
    cache_tags: ClassVar = NO_CACHE_TAGS
    op: ClassVar = "add"

    attachment: AttachmentPayload
    """The new file."""
    upload_space_used: int
    """The size of all files of the organization, in bytes."""


class AttachmentUpdated(Event):
    """A message links a file, or one that linked it was deleted."""

    type = "attachment"
    cache_tags: ClassVar = NO_CACHE_TAGS
    op: ClassVar = "update"

    attachment: AttachmentPayload
    """The file, with the messages that link it now."""
    upload_space_used: int
    """The size of all files of the organization, in bytes."""


class AttachmentRemoved(Event):
    """A file was deleted."""

    type = "attachment"
    cache_tags: ClassVar = NO_CACHE_TAGS
    op: ClassVar = "remove"

    attachment: RemovedAttachmentPayload
    """Which file it was."""
    upload_space_used: int
    """The size of all files of the organization, in bytes."""
