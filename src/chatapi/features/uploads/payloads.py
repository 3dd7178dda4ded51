"""Uploaded files as clients see them."""

from typing import TypeAlias

from typing_extensions import TypedDict

UnixMilliseconds: TypeAlias = int
"""A moment, in thousandths of a second since 1970-01-01 UTC."""


class UploadedPayload(TypedDict):
    """Where a new file is; a message that links it shows it to whoever may see the message."""

    url: str
    uri: str
    """The same, for clients that know the older name."""
    filename: str


class TemporaryAddressPayload(TypedDict):
    """Where a file can be opened without credentials, for a moment."""

    url: str


class AttachmentPayload(TypedDict):
    """A file somebody uploaded."""

    id: int
    name: str
    path_id: str
    size: int
    create_time: UnixMilliseconds
    message_ids: list[int]
    """The messages that link it, as far as the reader may see them."""


class RemovedAttachmentPayload(TypedDict):
    """A file that is gone."""

    id: int


class AttachmentsPayload(TypedDict):
    """All files of the caller."""

    attachments: list[AttachmentPayload]
    upload_space_used: int
    """By all files of the organization, in bytes."""
