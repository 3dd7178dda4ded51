"""Uploaded files and access to them."""

from chatapi.features.uploads.claims import (
    Claim,
    claim_attachments,
    list_linked_attachments,
    release_attachments,
    relink_attachments,
)
from chatapi.features.uploads.payloads import AttachmentPayload
from chatapi.features.uploads.removal import list_upload_paths, remove_unclaimed
from chatapi.features.uploads.repository import list_realms_with_unclaimed

__all__ = [
    "AttachmentPayload",
    "Claim",
    "claim_attachments",
    "list_linked_attachments",
    "list_realms_with_unclaimed",
    "list_upload_paths",
    "release_attachments",
    "relink_attachments",
    "remove_unclaimed",
]
