"""Uploaded files as frozen records."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from chatapi.core.ids import (
    AttachmentId,
    ChannelId,
    ConversationId,
    EventNumber,
    MessageId,
    RealmId,
    UserId,
)
from chatapi.features.uploads.formats import ANIMATED, STILL
from chatapi.features.uploads.payloads import AttachmentPayload

_ETAG_LENGTH = 32


class AttachmentRecord(Struct, frozen=True):
    """A file as stored in the database."""

    id: AttachmentId
    realm_id: RealmId
    owner_id: UserId
    name: str
    path_id: str
    content_type: str
    size: int
    created_at: datetime
    link_secret: str

    @property
    def key(self) -> str:
        """The storage key of its bytes: the part of the path that the server generated."""
        return self.path_id.rpartition("/")[0]

    @property
    def etag(self) -> str:
        """Identifies its content, which never changes; reveals nothing about its path."""
        return f'"{hashlib.sha256(self.key.encode()).hexdigest()[:_ETAG_LENGTH]}"'

    def payload(self, message_ids: Iterable[MessageId] = ()) -> AttachmentPayload:
        return {
            "id": self.id,
            "name": self.name,
            "path_id": self.path_id,
            "size": self.size,
            "create_time": int(self.created_at.timestamp() * 1000),
            "message_ids": sorted(message_ids),
        }


class ImageRecord(Struct, frozen=True):
    """An uploaded file that is an image."""

    attachment_id: AttachmentId
    content_type: str
    width: int
    height: int
    is_animated: bool
    is_drawn: bool | None
    is_pending: bool

    @property
    def thumbnails(self) -> tuple[str, ...]:
        """The names of the thumbnails there are."""
        if not self.is_drawn:
            return ()
        return (STILL.name, ANIMATED.name) if self.is_animated else (STILL.name,)


class LinkingMessage(Struct, frozen=True):
    """A message that links a file, with the fields needed to decide who may see it."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    arrival: EventNumber | None
