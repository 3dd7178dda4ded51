"""Uploaded files and access to them."""

from chatapi.features.uploads.claims import (
    Claim,
    claim_attachments,
    list_linked_attachments,
    list_linked_paths,
    release_attachments,
    relink_attachments,
)
from chatapi.features.uploads.formats import ThumbnailFormatPayload, thumbnail_formats
from chatapi.features.uploads.media import list_media
from chatapi.features.uploads.payloads import AttachmentPayload
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.removal import (
    get_own_attachment,
    list_upload_paths,
    remove_attachments,
    remove_unclaimed,
)
from chatapi.features.uploads.repository import list_realms_with_unclaimed
from chatapi.features.uploads.thumbnails import (
    FinishedImage,
    draw_thumbnails,
    find_next_image,
    finish_image,
    is_pending,
    list_messages_linking,
    list_thumbnail_keys,
    take_image,
)

__all__ = [
    "AttachmentPayload",
    "AttachmentRecord",
    "Claim",
    "FinishedImage",
    "ThumbnailFormatPayload",
    "claim_attachments",
    "draw_thumbnails",
    "find_next_image",
    "finish_image",
    "get_own_attachment",
    "is_pending",
    "list_linked_attachments",
    "list_linked_paths",
    "list_media",
    "list_messages_linking",
    "list_realms_with_unclaimed",
    "list_thumbnail_keys",
    "list_upload_paths",
    "release_attachments",
    "relink_attachments",
    "remove_attachments",
    "remove_unclaimed",
    "take_image",
    "thumbnail_formats",
]
