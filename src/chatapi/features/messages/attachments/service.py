"""Use case: delete an uploaded file."""

from chatapi.auth.context import Context, RealmContext
from chatapi.core.ids import AttachmentId
from chatapi.features.messages.picture_updates import remove_placeholders
from chatapi.features.uploads import AttachmentRecord, get_own_attachment, remove_attachments


class AttachmentService:
    """Deletes files on behalf of their owner."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def delete(self, attachment_id: AttachmentId) -> None:
        """DELETE /attachments/{attachment_id}: links to the file no longer work."""
        await self._ctx.lock()
        await delete_attachment(self._ctx, await get_own_attachment(self._ctx, attachment_id))


async def delete_attachment(ctx: RealmContext, attachment: AttachmentRecord) -> None:
    """Delete a file that messages may show; the realm is locked."""
    await remove_placeholders(ctx, attachment)
    await remove_attachments(ctx, [attachment])
