"""Every SQL statement on uploaded files and images."""

from chatapi.features.uploads.repository._attachments import (
    AttachmentRepository,
    list_realms_with_unclaimed,
)
from chatapi.features.uploads.repository._images import (
    ImageRepository,
    PendingImage,
    find_next_attempt,
    find_pending,
    take_pending,
)

__all__ = [
    "AttachmentRepository",
    "ImageRepository",
    "PendingImage",
    "find_next_attempt",
    "find_pending",
    "list_realms_with_unclaimed",
    "take_pending",
]
