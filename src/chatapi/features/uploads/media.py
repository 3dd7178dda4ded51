"""Which uploaded files a message shows: images, videos and sound."""

from collections.abc import Sequence

from chatapi.auth.context import Context
from chatapi.features.uploads.access import may_open
from chatapi.features.uploads.records import AttachmentRecord, ImageRecord
from chatapi.features.uploads.repository import AttachmentRepository, ImageRepository
from chatapi.features.uploads.thumbnails import picture_of
from chatapi.files.media_types import SOUND_TYPES, VIDEO_TYPES, inline_type
from chatapi.permissions.messages import message_access
from chatapi.rendering import UploadedMedia, UploadedSound, UploadedVideo


async def list_media(ctx: Context, paths: Sequence[str]) -> list[UploadedMedia]:
    """What can be shown of some files, as far as the caller may open them."""
    if not paths or not ctx.realm.options.inline_image_preview:
        return []
    found = await ImageRepository(ctx.db, ctx.realm.id).list_files_by_path(paths)
    shown = [(attachment, _media_of(attachment, image)) for attachment, image in found]
    return [
        media
        for attachment, media in shown
        if media is not None
        and (attachment.owner_id == ctx.user.id or await _may_open(ctx, attachment))
    ]


def _media_of(attachment: AttachmentRecord, image: ImageRecord | None) -> UploadedMedia | None:
    if image is not None:
        return picture_of(attachment, image)
    kind = inline_type(attachment.content_type, attachment.name)
    if kind in VIDEO_TYPES:
        return UploadedVideo(attachment.path_id, attachment.name)
    if kind in SOUND_TYPES:
        return UploadedSound(attachment.path_id, attachment.name)
    return None


async def _may_open(ctx: Context, attachment: AttachmentRecord) -> bool:
    repository = AttachmentRepository(ctx.db, ctx.realm.id)
    return await may_open(await message_access(ctx), repository, attachment)
