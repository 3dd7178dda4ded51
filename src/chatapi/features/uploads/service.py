"""Use cases: upload and list files. Messages are above uploads, and delete them."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import AttachmentId
from chatapi.features.uploads.access import visible_links
from chatapi.features.uploads.claims import PREFIX
from chatapi.features.uploads.errors import UploadQuotaError
from chatapi.features.uploads.events import AttachmentAdded
from chatapi.features.uploads.payloads import AttachmentsPayload, UploadedPayload
from chatapi.features.uploads.repository import AttachmentRepository, ImageRepository
from chatapi.files.names import display_name, new_link_secret, new_path
from chatapi.permissions.messages import message_access
from chatapi.pictures import PictureHeader, read_header
from chatapi.wire.files import UploadedFile

_MIB = 1024 * 1024


class UploadService:
    """What users can do with their own files."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._attachments = AttachmentRepository(ctx.db, ctx.realm.id)

    async def upload(self, file: UploadedFile) -> UploadedPayload:
        """Store the bytes, then insert the file's row.

        Storing takes long, so the realm is locked only afterwards; if anything fails, the bytes are
        discarded.
        """
        if file.size == 0:
            raise BadRequestError("filename: The file is empty")
        await self._check_quota(file.size)
        await self._ctx.release_connection()
        name = display_name(file.name)
        files = self._ctx.runtime.files
        path = new_path(self._ctx.realm.id, name, await files.deployment_tag())
        key = path.rpartition("/")[0]
        header = read_header(file.content)
        try:
            async with self._ctx.runtime.file_writing.turn(self._ctx.user.id):
                await files.store.put(key, file.content, file.digest)
            await self._add(file, name, path, header)
        except BaseException:
            files.discard([key])
            raise
        return {"url": PREFIX + path, "uri": PREFIX + path, "filename": name}

    async def list_own(self) -> AttachmentsPayload:
        """GET /attachments, each with the messages that link it and that the caller may see."""
        await self._ctx.snapshot()
        attachments = await self._attachments.list_of(self._ctx.user.id)
        links = await self._attachments.list_links([each.id for each in attachments])
        message_ids = await visible_links(await message_access(self._ctx), links)
        return {
            "attachments": [
                attachment.payload(message_ids.get(attachment.id, ())) for attachment in attachments
            ],
            "upload_space_used": await self._attachments.get_space_used(),
        }

    async def _add(
        self, file: UploadedFile, name: str, path: str, header: PictureHeader | None
    ) -> None:
        await self._ctx.lock()
        await self._check_quota(file.size)
        attachment_id = await self._attachments.add(
            owner_id=self._ctx.user.id,
            name=name,
            path_id=path,
            content_type=file.content_type,
            size=file.size,
            created_at=self._ctx.now(),
            link_secret=new_link_secret(),
        )
        if header is not None:
            await self._queue_thumbnail(attachment_id, header)
        space_used = await self._attachments.change_space_used(file.size)
        attachment = await self._attachments.get_own(self._ctx.user.id, attachment_id)
        self._ctx.emit_to_caller(
            AttachmentAdded(attachment=attachment.payload(), upload_space_used=space_used)
        )

    async def _queue_thumbnail(self, attachment_id: AttachmentId, header: PictureHeader) -> None:
        await ImageRepository(self._ctx.db, self._ctx.realm.id).add(
            attachment_id,
            content_type=header.content_type,
            width=header.width,
            height=header.height,
            next_attempt_at=self._ctx.now(),
        )
        self._ctx.work.after_commit(self._ctx.runtime.thumbnails.notify)

    async def _check_quota(self, size: int) -> None:
        quota = self._ctx.settings.upload_quota_mib * _MIB
        if quota and await self._attachments.get_space_used() + size > quota:
            raise UploadQuotaError
