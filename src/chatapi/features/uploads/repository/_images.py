"""Every SQL statement on uploaded images, which are the queue of thumbnails as well."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import func, insert, not_, select, update

from chatapi.core.ids import AttachmentId, RealmId
from chatapi.db.models import Attachment, AttachmentImage
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.uploads.records import AttachmentRecord, ImageRecord
from chatapi.files.names import key_of

_attachments = RecordReader(AttachmentRecord, Attachment)
_images = RecordReader(ImageRecord, AttachmentImage)
_COLUMNS = select(*_attachments.select().selected_columns, *_images.select().selected_columns)
_IS_SAME = AttachmentImage.attachment_id == Attachment.id
_NEXT_ATTEMPT = select(func.min(AttachmentImage.next_attempt_at)).where(AttachmentImage.is_pending)
_FIRST_OF_IMAGE = len(_attachments.select().selected_columns)


class PendingImage(Struct, frozen=True):
    """An image whose thumbnail has to be drawn or shown."""

    attachment_id: AttachmentId
    realm_id: RealmId
    path_id: str
    is_drawn: bool | None
    attempts: int
    next_attempt_at: datetime

    @property
    def key(self) -> str:
        return key_of(self.path_id)


class ImageRepository:
    """Images of one realm; those of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def add(self, attachment_id: AttachmentId, **values: object) -> None:
        await self._db.execute(
            insert(AttachmentImage).values(
                attachment_id=attachment_id,
                is_animated=False,
                is_drawn=None,
                is_pending=True,
                attempts=0,
                **values,
            )
        )

    async def find(self, attachment_id: AttachmentId) -> ImageRecord | None:
        rows = await self._db.execute(
            _images.select()
            .join(Attachment, Attachment.id == AttachmentImage.attachment_id)
            .where(Attachment.realm_id == self._realm_id, Attachment.id == attachment_id)
        )
        row = rows.one_or_none()
        return None if row is None else _images.read(row)

    async def list_files_by_path(
        self, paths: Sequence[str]
    ) -> list[tuple[AttachmentRecord, ImageRecord | None]]:
        """Files of all kinds, and the images that some of them are."""
        rows = await self._db.execute(
            _COLUMNS.join(AttachmentImage, _IS_SAME, isouter=True).where(
                Attachment.realm_id == self._realm_id, Attachment.path_id.in_(paths)
            )
        )
        return [
            (
                _attachments.read(row[:_FIRST_OF_IMAGE]),
                None if row[_FIRST_OF_IMAGE] is None else _images.read(row[_FIRST_OF_IMAGE:]),
            )
            for row in rows
        ]

    async def list_drawn(self) -> list[tuple[AttachmentRecord, ImageRecord]]:
        rows = await self._db.execute(
            _COLUMNS.join(AttachmentImage, _IS_SAME).where(
                Attachment.realm_id == self._realm_id, AttachmentImage.is_drawn.is_(True)
            )
        )
        return [
            (_attachments.read(row[:_FIRST_OF_IMAGE]), _images.read(row[_FIRST_OF_IMAGE:]))
            for row in rows
        ]

    async def change(self, attachment_id: AttachmentId, **values: object) -> None:
        await self._db.execute(
            update(AttachmentImage)
            .where(AttachmentImage.attachment_id == attachment_id)
            .values(**values)
        )

    async def reopen(self, attachment_ids: Collection[AttachmentId], now: datetime) -> None:
        """Let messages be updated once more; images that are still pending need nothing."""
        await self._db.execute(
            update(AttachmentImage)
            .where(
                AttachmentImage.attachment_id.in_(attachment_ids), not_(AttachmentImage.is_pending)
            )
            .values(is_pending=True, attempts=0, next_attempt_at=now)
        )


async def find_next_attempt(db: DatabaseSession) -> datetime | None:
    rows = await db.fetch_alone(_NEXT_ATTEMPT)
    next_attempt_at: datetime | None = rows[0][0]
    return next_attempt_at


async def find_pending(db: DatabaseSession, now: datetime) -> PendingImage | None:
    """The image, of any realm, that has been pending longest."""
    rows = await db.execute(
        select(
            AttachmentImage.attachment_id,
            Attachment.realm_id,
            Attachment.path_id,
            AttachmentImage.is_drawn,
            AttachmentImage.attempts,
            AttachmentImage.next_attempt_at,
        )
        .join(Attachment, Attachment.id == AttachmentImage.attachment_id)
        .where(AttachmentImage.is_pending, AttachmentImage.next_attempt_at <= now)
        .order_by(AttachmentImage.next_attempt_at)
        .limit(1)
    )
    row = rows.one_or_none()
    if row is None:
        return None
    values: tuple[Any, ...] = tuple(row)
    return PendingImage(*values)


async def take_pending(db: DatabaseSession, pending: PendingImage, until: datetime) -> bool:
    """Keep other processes from an image until a moment; False if one of them was faster."""
    taken = await db.execute(
        update(AttachmentImage)
        .where(
            AttachmentImage.attachment_id == pending.attachment_id,
            AttachmentImage.is_pending,
            AttachmentImage.next_attempt_at == pending.next_attempt_at,
        )
        .values(next_attempt_at=until, attempts=AttachmentImage.attempts + 1)
    )
    return taken.rowcount == 1
