"""Endpoints of uploaded files."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.context import RealmContext
from chatapi.auth.guards import Anybody, LoggedIn, MaybeAnonymous
from chatapi.features.uploads.claims import PREFIX
from chatapi.features.uploads.errors import UploadQuotaError
from chatapi.features.uploads.params import UploadFileParams
from chatapi.features.uploads.payloads import (
    AttachmentsPayload,
    TemporaryAddressPayload,
    ThumbnailStatusPayload,
    UploadedPayload,
)
from chatapi.features.uploads.reading import TEMPORARY, FileReader
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.service import UploadService
from chatapi.features.uploads.thumbnails import has_thumbnail, read_thumbnail
from chatapi.http.responses import FileContent
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

RealmInPath = Annotated[
    Id, Field(description="The first part of the path of the file, after `/user_uploads/`.")
]
ShelfInPath = Annotated[str, Field(description="The second part of the path of the file.")]
TokenInPath = Annotated[str, Field(description="The third part of the path of the file.")]
FilenameInPath = Annotated[
    str, Field(description="The last part of the path of the file: its name.")
]

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
    ctx: LoggedIn,
    realm_id: RealmInPath,
    shelf: ShelfInPath,
    token: TokenInPath,
    filename: FilenameInPath,
) -> TemporaryAddressPayload:
    """Get an address at which a file can be opened without credentials, for a minute.

    It expires sooner if the API key that requested it expires. The file itself is at the same path
    outside the API, for requests with credentials.
    """
    return await FileReader(ctx).temporary_address(realm_id, f"{shelf}/{token}/{filename}")


@router.get("/thumbnail/status/{realm_id:int}/{shelf}/{token}/{filename}")
async def get_thumbnail_status(
    ctx: LoggedIn,
    realm_id: RealmInPath,
    shelf: ShelfInPath,
    token: TokenInPath,
    filename: FilenameInPath,
) -> ThumbnailStatusPayload:
    """Find out whether the thumbnail of a file has been drawn.

    For users who may open the file. A message that links the file is updated by an `update_message`
    event when it has.
    """
    attachment = await FileReader(ctx).get(realm_id, f"{shelf}/{token}/{filename}")
    return {"has_thumbnail": await has_thumbnail(ctx, attachment)}


@router.get("/attachments")
async def get_attachments(ctx: LoggedIn) -> AttachmentsPayload:
    """Get the files you uploaded.

    With the space that all files of the organization take together.
    """
    return await UploadService(ctx).list_own()


@file_router.get(PREFIX + TEMPORARY + "/{link}/{filename}")
async def open_file_by_link(ctx: Anybody, link: str, filename: FilenameInPath) -> FileContent:
    """Open a file at a temporary address."""
    del filename
    return _content(ctx, await FileReader(ctx).get_by_link(link))


@file_router.get(PREFIX + "{realm_id:int}/{shelf}/{token}/{filename}")
async def open_file(
    ctx: MaybeAnonymous,
    realm_id: RealmInPath,
    shelf: ShelfInPath,
    token: TokenInPath,
    filename: FilenameInPath,
) -> FileContent:
    """Open a file."""
    return _content(ctx, await FileReader(ctx).get(realm_id, f"{shelf}/{token}/{filename}"))


@file_router.get(PREFIX + "thumbnail/{realm_id:int}/{shelf}/{token}/{filename}/{thumbnail}")
async def open_thumbnail(  # noqa: PLR0917 (the parts of the path)
    ctx: MaybeAnonymous,
    realm_id: RealmInPath,
    shelf: ShelfInPath,
    token: TokenInPath,
    filename: FilenameInPath,
    thumbnail: str,
) -> FileContent:
    """Open the thumbnail of a file that the reader may open."""
    attachment = await FileReader(ctx).get(realm_id, f"{shelf}/{token}/{filename}")
    content = await read_thumbnail(ctx, attachment, thumbnail)
    return FileContent.small(thumbnail, "image/webp", content, is_public=False)


def _content(ctx: RealmContext, attachment: AttachmentRecord) -> FileContent:
    return FileContent(
        name=attachment.name,
        content_type=attachment.content_type,
        size=attachment.size,
        open=lambda part: ctx.runtime.files.store.read(attachment.key, part),
        etag=attachment.etag,
        accel_path=ctx.runtime.files.accel_path(attachment.key),
    )
