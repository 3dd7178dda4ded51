"""Payloads about uploaded files."""

from typing import TypeAlias

from typing_extensions import TypedDict

UnixMilliseconds: TypeAlias = int
"""A moment, in milliseconds since 1970-01-01 UTC."""


class UploadedPayload(TypedDict):
    """The address of a new file; users who may see a message that links it can open it."""

    url: str
    uri: str
    """The same, under the name that older clients know."""
    filename: str


class TemporaryAddressPayload(TypedDict):
    """An address at which a file can be opened without credentials, for a short time."""

    url: str


class ThumbnailStatusPayload(TypedDict):
    """Whether a file has a thumbnail."""

    has_thumbnail: bool


class AttachmentPayload(TypedDict):
    """A file that a user uploaded."""

    id: int
    name: str
    path_id: str
    size: int
    create_time: UnixMilliseconds
    message_ids: list[int]
    """The messages that link it, as far as the reader may see them."""


class RemovedAttachmentPayload(TypedDict):
    """A file that was deleted."""

    id: int


class AttachmentsPayload(TypedDict):
    """All files of the caller."""

    attachments: list[AttachmentPayload]
    upload_space_used: int
    """The size of all files of the organization, in bytes."""
