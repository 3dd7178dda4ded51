"""Thumbnails of uploaded images: which messages show, and drawing those that are pending."""

import tempfile
from datetime import datetime, timedelta

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_sessions import realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import NotFoundError
from chatapi.core.ids import AttachmentId, MessageId, RealmId
from chatapi.db.session import DatabaseSession
from chatapi.features.uploads.formats import ANIMATED, RECIPE, STILL
from chatapi.features.uploads.records import AttachmentRecord, ImageRecord
from chatapi.features.uploads.repository import (
    AttachmentRepository,
    ImageRepository,
    PendingImage,
    find_next_attempt,
    find_pending,
    take_pending,
)
from chatapi.files.names import variant_key
from chatapi.files.store import MissingFileError
from chatapi.pictures import DrawnPicture, UnreadablePictureError
from chatapi.rendering import UploadedPicture

_LEASE = timedelta(minutes=2)
"""After this, another process takes over what one has begun: it ended, or is very slow."""
_MAX_ATTEMPTS = 3


def picture_of(attachment: AttachmentRecord, image: ImageRecord) -> UploadedPicture | None:
    """An uploaded image as messages show it; None if it cannot be drawn."""
    if image.is_drawn is False:
        return None
    return UploadedPicture(
        path=attachment.path_id,
        name=attachment.name,
        content_type=image.content_type,
        width=image.width,
        height=image.height,
        is_ready=image.is_drawn is True,
        thumbnail=(ANIMATED if image.is_animated else STILL).name,
        is_animated=image.is_animated,
    )


async def read_thumbnail(ctx: RealmContext, attachment: AttachmentRecord, name: str) -> bytes:
    """The content of a thumbnail; the caller has checked that the reader may open the file."""
    image = await ImageRepository(ctx.db, ctx.realm.id).find(attachment.id)
    if image is None or name not in image.thumbnails:
        raise NotFoundError
    await ctx.release_connection()
    return await ctx.runtime.files.read_whole(variant_key(attachment.path_id, name))


async def has_thumbnail(ctx: RealmContext, attachment: AttachmentRecord) -> bool:
    image = await ImageRepository(ctx.db, ctx.realm.id).find(attachment.id)
    return image is not None and bool(image.thumbnails)


def thumbnail_keys(attachment: AttachmentRecord) -> list[str]:
    """The storage keys of all thumbnails that a file may have."""
    return [variant_key(attachment.path_id, variant.name) for variant in RECIPE.variants]


async def list_thumbnail_keys(db: DatabaseSession, realm_id: RealmId) -> list[str]:
    """The storage keys of all thumbnails of a realm."""
    return [
        variant_key(attachment.path_id, name)
        for attachment, image in await ImageRepository(db, realm_id).list_drawn()
        for name in image.thumbnails
    ]


async def find_next_image(db: DatabaseSession) -> datetime | None:
    """When a process may work on the next pending image; None if there is none."""
    return await find_next_attempt(db)


async def take_image(runtime: Runtime) -> PendingImage | None:
    """Take the next pending image; other processes leave it alone for a while."""
    now = runtime.clock.now()
    async with runtime.reading() as db:
        pending = await find_pending(db, now)
        if pending is None:
            return None
        async with db.transaction():
            is_ours = await take_pending(db, pending, now + _LEASE)
    return pending if is_ours else None


async def draw_thumbnails(runtime: Runtime, pending: PendingImage) -> None:
    """Draw the thumbnails of an image, store them, and note that it was done.

    If two processes do it, both write the same files: one that fails must not discard them. If no
    process succeeds, they are removed like other files without a row.
    """
    drawn = None
    if pending.attempts < _MAX_ATTEMPTS:
        drawn = await _draw(runtime, pending)
    contents = {} if drawn is None else _contents(pending, drawn)
    await runtime.files.put_all(contents)
    async with realm_transaction(runtime, pending.realm_id) as ctx:
        images = ImageRepository(ctx.db, ctx.realm.id)
        image = await images.find(pending.attachment_id)
        if image is None:
            # The file was deleted meanwhile.
            ctx.work.after_commit(lambda: runtime.files.discard(list(contents)))
        elif image.is_drawn is not None:
            # Another process took over, and was faster: what messages show stays.
            return
        elif drawn is None:
            await images.change(pending.attachment_id, is_drawn=False)
        else:
            await images.change(
                pending.attachment_id,
                is_drawn=True,
                width=drawn.width,
                height=drawn.height,
                content_type=drawn.content_type,
                is_animated=ANIMATED.name in drawn.variants,
            )


def _contents(pending: PendingImage, drawn: DrawnPicture) -> dict[str, bytes]:
    return {variant_key(pending.path_id, name): content for name, content in drawn.variants.items()}


async def _draw(runtime: Runtime, pending: PendingImage) -> DrawnPicture | None:
    with tempfile.TemporaryFile() as file:
        try:
            async with runtime.files.store.read(pending.key) as chunks:
                async for chunk in chunks:
                    file.write(chunk)
            return await runtime.painter.draw(file, RECIPE)
        except (MissingFileError, UnreadablePictureError):
            return None


async def is_pending(ctx: RealmContext, attachment_id: AttachmentId) -> bool:
    """Whether messages may show a placeholder of a file."""
    image = await ImageRepository(ctx.db, ctx.realm.id).find(attachment_id)
    return image is not None and image.is_pending


class FinishedImage(Struct, frozen=True):
    """An image that needs no more drawing."""

    path: str
    picture: UploadedPicture | None
    """None if it cannot be drawn."""


async def finish_image(ctx: RealmContext, attachment_id: AttachmentId) -> FinishedImage | None:
    """Note that an image is no longer pending; None if it was deleted. The realm is locked."""
    images = ImageRepository(ctx.db, ctx.realm.id)
    image = await images.find(attachment_id)
    attachment = await AttachmentRepository(ctx.db, ctx.realm.id).find(attachment_id)
    if image is None or attachment is None:
        return None
    await images.change(attachment_id, is_pending=False)
    return FinishedImage(attachment.path_id, picture_of(attachment, image))


async def list_messages_linking(
    ctx: RealmContext, attachment_id: AttachmentId, after: MessageId, limit: int
) -> list[MessageId]:
    """Some of the messages that link a file, ordered by id."""
    repository = AttachmentRepository(ctx.db, ctx.realm.id)
    messages = await repository.list_linking_messages(attachment_id, after, limit)
    return [message.id for message in messages]
