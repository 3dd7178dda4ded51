"""Deletes files: first the rows, and the bytes once the transaction is committed."""

from collections.abc import Sequence
from datetime import datetime

from chatapi.auth.context import Context, RealmContext
from chatapi.core.ids import AttachmentId, RealmId
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Users
from chatapi.features.uploads.events import AttachmentRemoved
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.repository import AttachmentRepository
from chatapi.features.uploads.thumbnails import thumbnail_keys


async def get_own_attachment(ctx: Context, attachment_id: AttachmentId) -> AttachmentRecord:
    """A file of the caller; raises an error if there is none with this id."""
    return await AttachmentRepository(ctx.db, ctx.realm.id).get_own(ctx.user.id, attachment_id)


async def remove_attachments(ctx: RealmContext, attachments: Sequence[AttachmentRecord]) -> None:
    """Delete files and emit it to their owners; the realm is locked.

    Messages that wait for a thumbnail of one of them must have been updated before.
    """
    repository = AttachmentRepository(ctx.db, ctx.realm.id)
    await repository.delete([attachment.id for attachment in attachments])
    space_used = await repository.change_space_used(-sum(each.size for each in attachments))
    for attachment in attachments:
        ctx.emit(
            AttachmentRemoved(attachment={"id": attachment.id}, upload_space_used=space_used),
            to=Users.only(attachment.owner_id),
        )
    keys = [key for each in attachments for key in (each.key, *thumbnail_keys(each))]
    ctx.work.after_commit(lambda: ctx.runtime.files.discard(keys))


async def remove_unclaimed(ctx: RealmContext, before: datetime, limit: int) -> int:
    """Delete some files that no message has linked since then; returns how many."""
    unclaimed = await AttachmentRepository(ctx.db, ctx.realm.id).list_unclaimed(before, limit)
    if unclaimed:
        await remove_attachments(ctx, unclaimed)
    return len(unclaimed)


async def list_upload_paths(db: DatabaseSession, realm_id: RealmId) -> list[str]:
    """The paths of all uploaded files of a realm."""
    return await AttachmentRepository(db, realm_id).list_paths()
