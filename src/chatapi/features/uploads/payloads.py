"""Payloads about uploaded files."""

from typing import TypeAlias

from typing_extensions import TypedDict

UnixMilliseconds: TypeAlias = int
"""A moment, in milliseconds since 1970-01-01 UTC."""


class UploadedPayload(TypedDict):
    """The address of a new file; users who may see a message that links it can open it."""

    url: str
    """The path of the file on this server; link it in a message to share the file."""
    uri: str
    """The same as `url`, under the name that older clients know."""
    filename: str
    """The name of the file, as you sent it."""


class TemporaryAddressPayload(TypedDict):
    """An address at which a file can be opened without credentials, for a short time."""

    url: str
    """A path on this server at which the file can be opened without login, for a minute."""


class ThumbnailStatusPayload(TypedDict):
    """Whether a file has a thumbnail."""

    has_thumbnail: bool
    """Whether the thumbnail has been drawn; false also for files that are no images."""


class AttachmentPayload(TypedDict):
    """A file that a user uploaded."""

    id: int
    """Names the file in `DELETE /attachments/{attachment_id}`."""
    name: str
    """The name of the file, as it was uploaded."""
    path_id: str
    """Where the file is: below `/user_uploads/`."""
    size: int
    """In bytes."""
    create_time: UnixMilliseconds
    """When it was uploaded, in milliseconds since 1970."""
    message_ids: list[int]
    """The messages that link it, as far as the reader may see them."""


class RemovedAttachmentPayload(TypedDict):
    """A file that was deleted."""

    id: int
    """The file that clients should forget."""


class AttachmentsPayload(TypedDict):
    """All files of the caller."""

    attachments: list[AttachmentPayload]
    """The files you uploaded."""
    upload_space_used: int
    """The size of all files of the organization, in bytes."""
