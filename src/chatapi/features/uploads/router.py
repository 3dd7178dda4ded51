"""Endpoints of uploaded files."""

from chatapi.auth.context import RealmContext
from chatapi.auth.guards import Anybody, LoggedIn, MaybeAnonymous
from chatapi.core.ids import AttachmentId
from chatapi.features.uploads.claims import PREFIX
from chatapi.features.uploads.errors import UploadQuotaError
from chatapi.features.uploads.params import UploadFileParams
from chatapi.features.uploads.payloads import (
    AttachmentsPayload,
    TemporaryAddressPayload,
    UploadedPayload,
)
from chatapi.features.uploads.reading import TEMPORARY, FileReader
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.service import UploadService
from chatapi.http.responses import FileContent
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

router = FeatureRouter("Files", "Upload files and link them in messages.")
file_router = FeatureRouter("Files", prefix="", include_in_schema=False)
"""Serves the files themselves, outside the API."""


@router.post("/user_uploads", responses=raises(UploadQuotaError))
async def upload_file(ctx: LoggedIn, params: UploadFileParams) -> UploadedPayload:
    """Upload a file.

    Send it as the only file of a multipart form, under any name. Only you can open it until you
    link its `url` in a message; then all users who may see the message can. A file that no message
    links is removed after some days.
    """
    return await UploadService(ctx).upload(params.filename)


@router.get("/user_uploads/{realm_id:int}/{shelf}/{token}/{filename}")
async def get_file_temporary_url(
    ctx: LoggedIn, realm_id: Id, shelf: str, token: str, filename: str
) -> TemporaryAddressPayload:
    """Get an address at which a file can be opened without credentials, for a minute.

    It expires sooner if the API key that requested it expires. The file itself is at the same path
    outside the API, for requests with credentials.
    """
    return await FileReader(ctx).temporary_address(realm_id, f"{shelf}/{token}/{filename}")


@router.get("/attachments")
async def get_attachments(ctx: LoggedIn) -> AttachmentsPayload:
    """Get the files you uploaded, and the space all files of the organization take."""
    return await UploadService(ctx).list_own()


@router.delete("/attachments/{attachment_id:int}")
async def remove_attachment(ctx: LoggedIn, attachment_id: Id) -> None:
    """Delete a file you uploaded; links to it no longer work."""
    await UploadService(ctx).delete(AttachmentId(attachment_id))


@file_router.get(PREFIX + TEMPORARY + "/{link}/{filename}")
async def open_file_by_link(ctx: Anybody, link: str, filename: str) -> FileContent:
    """Open a file at a temporary address."""
    del filename
    return _content(ctx, await FileReader(ctx).get_by_link(link))


@file_router.get(PREFIX + "{realm_id:int}/{shelf}/{token}/{filename}")
async def open_file(
    ctx: MaybeAnonymous, realm_id: Id, shelf: str, token: str, filename: str
) -> FileContent:
    """Open a file."""
    return _content(ctx, await FileReader(ctx).get(realm_id, f"{shelf}/{token}/{filename}"))


def _content(ctx: RealmContext, attachment: AttachmentRecord) -> FileContent:
    return FileContent(
        name=attachment.name,
        content_type=attachment.content_type,
        size=attachment.size,
        open=lambda: ctx.runtime.files.store.read(attachment.key),
    )
