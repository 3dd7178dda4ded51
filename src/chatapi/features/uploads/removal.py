"""Deletes files: first the rows, and the bytes once the transaction is committed."""

from collections.abc import Sequence

from chatapi.auth.context import RealmContext
from chatapi.events.audience import Users
from chatapi.features.uploads.events import AttachmentRemoved
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.repository import AttachmentRepository


async def remove_attachments(ctx: RealmContext, attachments: Sequence[AttachmentRecord]) -> None:
    """Delete files and emit it to their owners; the realm is locked."""
    repository = AttachmentRepository(ctx.db, ctx.realm.id)
    await repository.delete([attachment.id for attachment in attachments])
    space_used = await repository.change_space_used(-sum(each.size for each in attachments))
    for attachment in attachments:
        ctx.emit(
            AttachmentRemoved(attachment={"id": attachment.id}, upload_space_used=space_used),
            to=Users.only(attachment.owner_id),
        )
    keys = [attachment.key for attachment in attachments]
    ctx.work.after_commit(lambda: ctx.runtime.files.discard(keys))
