"""Endpoints of custom emoji."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import Anybody, LoggedIn, Server
from chatapi.core.errors import NotFoundError
from chatapi.features.emoji.errors import EmojiDoesNotExistError
from chatapi.features.emoji.params import UploadEmojiParams
from chatapi.features.emoji.payloads import PREFIX, EmojiListPayload
from chatapi.features.emoji.pictures import read_picture
from chatapi.features.emoji.service import EmojiService
from chatapi.features.emoji.static_files import (
    EXTRA_EMOJI_PATH,
    NAMES_PATH,
    emoji_names_file,
    extra_emoji_file,
)
from chatapi.http.operation import Revalidated
from chatapi.http.responses import FileContent
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

EmojiNameInPath = Annotated[
    str,
    Field(
        description="The name of the emoji, without colons: lower case letters, digits, `-`, `_`,"
        " 60 at most; the last is a letter or a digit."
    ),
]

router = FeatureRouter("Custom emoji", "Emoji of the organization's own.")
picture_router = FeatureRouter("Custom emoji", prefix="", include_in_schema=False)
"""Serves the images and the names of Unicode emoji, outside the API."""


@router.get("/realm/emoji")
async def get_custom_emoji(ctx: LoggedIn) -> Revalidated[EmojiListPayload]:
    """Get all custom emoji.

    Including removed ones, which old messages and reactions still show.
    """
    return {"emoji": await EmojiService(ctx).list_all()}


@router.post("/realm/emoji/{emoji_name}")
async def upload_custom_emoji(
    ctx: LoggedIn, emoji_name: EmojiNameInPath, params: UploadEmojiParams
) -> None:
    """Add a custom emoji.

    Send a PNG, GIF, JPEG or WebP of 5 MiB at most as the only file of a multipart form. It is
    redrawn in 64 x 64 pixels; animations become GIFs.
    """
    await EmojiService(ctx).add(emoji_name, params.filename)


@router.delete("/realm/emoji/{emoji_name}", responses=raises(EmojiDoesNotExistError))
async def deactivate_custom_emoji(ctx: LoggedIn, emoji_name: EmojiNameInPath) -> None:
    """Remove a custom emoji.

    For the user who added it and for administrators. Messages and reactions that have it keep it.
    Clients receive a `realm_emoji` event.
    """
    await EmojiService(ctx).remove(emoji_name)


@picture_router.get(PREFIX + "{realm_id:int}/{shelf}/{token}/{filename}")
async def open_picture(
    ctx: Anybody, realm_id: Id, shelf: str, token: str, filename: str
) -> FileContent:
    """Open the image of an emoji."""
    content = await read_picture(ctx, realm_id, f"{shelf}/{token}/{filename}")
    kind = filename.rpartition(".")[2]
    return FileContent.small(filename, f"image/{kind}", content, is_public=True)


@picture_router.get(NAMES_PATH)
async def open_emoji_names(ctx: Server, digest: str) -> FileContent:
    """Get the names of all Unicode emoji by their codes."""
    file = await emoji_names_file(ctx.runtime)
    if digest != file.digest:
        # Caches keep the file for a year, so no other content may have this address.
        raise NotFoundError
    return FileContent.small("emoji_api.json", "application/json", file.content, is_public=True)


@picture_router.get(EXTRA_EMOJI_PATH)
async def open_extra_emoji(ctx: Server) -> FileContent:
    """Open the image of `:zulip:`, an emoji that existing clients add to those of Unicode."""
    content = await extra_emoji_file(ctx.runtime)
    return FileContent.small("zulip.png", "image/png", content, is_public=True)
