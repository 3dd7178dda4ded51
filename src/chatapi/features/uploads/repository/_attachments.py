"""Every SQL statement on uploaded files."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, not_, select, update

from chatapi.core.errors import BadRequestError
from chatapi.core.ids import AttachmentId, MessageId, RealmId, UserId
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Attachment, AttachmentImage, AttachmentMessage, Message, Realm
from chatapi.db.reading import read_in_steps
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.uploads.records import AttachmentRecord, LinkingMessage

_records = RecordReader(AttachmentRecord, Attachment)
_messages = RecordReader(LinkingMessage, Message)
_LINKS = (
    _messages.select()
    .add_columns(AttachmentMessage.attachment_id)
    .join(AttachmentMessage, AttachmentMessage.message_id == Message.id)
    .where(is_one_of(AttachmentMessage.attachment_id, "attachment_ids"))
)


class AttachmentRepository:
    """Files of one realm; files of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def add(self, **values: object) -> AttachmentId:
        rows = await self._db.execute(
            insert(Attachment)
            .values(realm_id=self._realm_id, is_claimed=False, **values)
            .returning(Attachment.id)
        )
        return AttachmentId(rows.scalar_one())

    async def find(self, attachment_id: AttachmentId) -> AttachmentRecord | None:
        rows = await self._db.execute(
            _records.select().where(
                Attachment.realm_id == self._realm_id, Attachment.id == attachment_id
            )
        )
        row = rows.one_or_none()
        return None if row is None else _records.read(row)

    async def get_own(self, owner_id: UserId, attachment_id: AttachmentId) -> AttachmentRecord:
        attachment = await self.find(attachment_id)
        if attachment is None or attachment.owner_id != owner_id:
            raise BadRequestError("Invalid attachment")
        return attachment

    async def list_by_path(self, paths: Iterable[str]) -> list[AttachmentRecord]:
        rows = await self._db.execute(
            _records.select()
            .where(Attachment.realm_id == self._realm_id, Attachment.path_id.in_(list(paths)))
            .order_by(Attachment.id)
        )
        return [_records.read(row) for row in rows]

    async def list_paths(self) -> list[str]:
        """The paths of all files."""
        rows = await self._db.execute(
            select(Attachment.path_id).where(Attachment.realm_id == self._realm_id)
        )
        return list(rows.scalars())

    async def list_some(self, attachment_ids: Collection[AttachmentId]) -> list[AttachmentRecord]:
        rows = await self._db.execute(
            _records.select()
            .where(Attachment.realm_id == self._realm_id, Attachment.id.in_(attachment_ids))
            .order_by(Attachment.id)
        )
        return [_records.read(row) for row in rows]

    async def list_of(self, owner_id: UserId) -> list[AttachmentRecord]:
        rows = await self._db.execute(
            _records.select()
            .where(Attachment.realm_id == self._realm_id, Attachment.owner_id == owner_id)
            .order_by(Attachment.id)
        )
        return [_records.read(row) for row in rows]

    async def list_unclaimed(self, before: datetime, limit: int) -> list[AttachmentRecord]:
        rows = await self._db.execute(
            _records.select()
            .where(
                Attachment.realm_id == self._realm_id,
                not_(Attachment.is_claimed),
                Attachment.created_at < before,
            )
            .order_by(Attachment.id)
            .limit(limit)
        )
        return [_records.read(row) for row in rows]

    async def link(self, links: Iterable[tuple[AttachmentId, MessageId]]) -> None:
        """Store which messages link which files; linked files do not expire."""
        rows = [
            {"attachment_id": attachment_id, "message_id": message_id}
            for attachment_id, message_id in links
        ]
        await self._db.execute_many(insert(AttachmentMessage), rows)
        await self._db.execute(
            update(Attachment)
            .where(Attachment.id.in_({row["attachment_id"] for row in rows}))
            .values(is_claimed=True)
        )

    async def unlink(self, message_id: MessageId, attachment_ids: Sequence[AttachmentId]) -> None:
        await self._db.execute(
            delete(AttachmentMessage).where(
                AttachmentMessage.message_id == message_id,
                AttachmentMessage.attachment_id.in_(attachment_ids),
            )
        )

    async def list_of_message(self, message_id: MessageId) -> list[AttachmentRecord]:
        """The files a message links."""
        rows = await self._db.execute(
            _records.select()
            .join(AttachmentMessage, AttachmentMessage.attachment_id == Attachment.id)
            .where(AttachmentMessage.message_id == message_id)
            .order_by(Attachment.id)
        )
        return [_records.read(row) for row in rows]

    async def list_linked_by(self, message_ids: Collection[MessageId]) -> list[AttachmentId]:
        """The files that some messages link."""
        rows = await self._db.execute(
            select(AttachmentMessage.attachment_id)
            .where(AttachmentMessage.message_id.in_(message_ids))
            .distinct()
        )
        return [AttachmentId(attachment_id) for (attachment_id,) in rows]

    async def release(self, attachment_ids: Collection[AttachmentId]) -> None:
        """Of some files, mark those that no message links as unclaimed: they expire."""
        await self._db.execute(
            update(Attachment)
            .where(
                Attachment.id.in_(attachment_ids),
                Attachment.id.not_in(
                    select(AttachmentMessage.attachment_id).where(
                        AttachmentMessage.attachment_id.in_(attachment_ids)
                    )
                ),
            )
            .values(is_claimed=False)
        )

    async def list_links(
        self, attachment_ids: Sequence[AttachmentId]
    ) -> dict[AttachmentId, list[LinkingMessage]]:
        """All messages that link some files; files without such messages are left out."""
        rows = await self._db.execute(_LINKS, {"attachment_ids": attachment_ids})
        found: defaultdict[AttachmentId, list[LinkingMessage]] = defaultdict(list)
        links = await read_in_steps(rows, _read_link)
        for attachment_id, message in links:
            found[attachment_id].append(message)
        return found

    async def list_linking_messages(
        self, attachment_id: AttachmentId, after: MessageId, limit: int
    ) -> list[LinkingMessage]:
        """Some of the messages that link a file, ordered by id."""
        rows = await self._db.execute(
            _messages.select()
            .join(AttachmentMessage, AttachmentMessage.message_id == Message.id)
            .where(AttachmentMessage.attachment_id == attachment_id, Message.id > after)
            .order_by(Message.id)
            .limit(limit)
        )
        return [_messages.read(row) for row in rows]

    async def delete(self, attachment_ids: Sequence[AttachmentId]) -> None:
        await self._db.execute(
            delete(AttachmentMessage).where(AttachmentMessage.attachment_id.in_(attachment_ids))
        )
        await self._db.execute(
            delete(AttachmentImage).where(AttachmentImage.attachment_id.in_(attachment_ids))
        )
        await self._db.execute(delete(Attachment).where(Attachment.id.in_(attachment_ids)))

    async def get_space_used(self) -> int:
        """The size of all files of the realm."""
        rows = await self._db.execute(select(Realm.upload_bytes).where(Realm.id == self._realm_id))
        return rows.scalar_one()

    async def change_space_used(self, by: int) -> int:
        """Change the stored size of all files; returns the new size."""
        rows = await self._db.execute(
            update(Realm)
            .where(Realm.id == self._realm_id)
            .values(upload_bytes=Realm.upload_bytes + by)
            .returning(Realm.upload_bytes)
        )
        return rows.scalar_one()


async def list_realms_with_unclaimed(db: DatabaseSession, before: datetime) -> list[RealmId]:
    rows = await db.execute(
        select(Attachment.realm_id)
        .where(not_(Attachment.is_claimed), Attachment.created_at < before)
        .distinct()
    )
    return [RealmId(realm_id) for (realm_id,) in rows]


def _read_link(row: Sequence[Any]) -> tuple[AttachmentId, LinkingMessage]:
    *message, attachment_id = row
    return AttachmentId(attachment_id), _messages.read(message)
