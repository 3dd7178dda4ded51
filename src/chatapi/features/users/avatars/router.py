"""Endpoints of users' pictures."""

import re

from chatapi.auth.guards import Anybody, LoggedIn, MaybeAnonymous
from chatapi.auth.pictures import BadImageError
from chatapi.core.errors import NotFoundError
from chatapi.features.users.avatar_addresses import DRAWN_PREFIX, MEDIUM, MEDIUM_SIZE, PREFIX, SIZE
from chatapi.features.users.avatars.params import UploadAvatarParams
from chatapi.features.users.avatars.payloads import AvatarPayload
from chatapi.features.users.avatars.service import AvatarService, find_avatar_url, read_avatar
from chatapi.http.responses import FileContent, Redirect
from chatapi.http.route import FeatureRouter, raises
from chatapi.pictures import draw_initials
from chatapi.wire.types import Id

router = FeatureRouter("Avatars", "Pictures of users.")
picture_router = FeatureRouter("Avatars", prefix="", include_in_schema=False)
"""Serves the pictures, outside the API."""

_PNG = "image/png"
_DRAWN = re.compile(rf"(?:_|(?P<initials>[A-Z0-9]{{1,2}}))(?P<medium>-{MEDIUM})?\.png")
_MAX_HUE = 359


@router.post("/users/me/avatar", responses=raises(BadImageError))
async def upload_avatar(ctx: LoggedIn, params: UploadAvatarParams) -> AvatarPayload:
    """Upload your picture.

    Send a PNG, GIF, JPEG or WebP of 5 MiB at most as the only file of a multipart form. It is
    cropped to a square and drawn in 100 x 100 and 500 x 500 pixels, without its metadata.
    """
    return await AvatarService(ctx).upload(params.file)


@router.delete("/users/me/avatar")
async def remove_avatar(ctx: LoggedIn) -> AvatarPayload:
    """Remove your picture.

    You get the default one of the organization; clients receive a `realm_user/update` event.
    Refused where the organization has disabled changes, except for administrators.
    """
    return await AvatarService(ctx).remove()


@picture_router.get("/avatar/{user_id_or_email}")
async def open_avatar(ctx: MaybeAnonymous, user_id_or_email: str) -> Redirect:
    """Find the picture of a user."""
    return Redirect(await find_avatar_url(ctx, user_id_or_email, is_medium=False))


@picture_router.get("/avatar/{user_id_or_email}/medium")
async def open_medium_avatar(ctx: MaybeAnonymous, user_id_or_email: str) -> Redirect:
    """Find the larger picture of a user."""
    return Redirect(await find_avatar_url(ctx, user_id_or_email, is_medium=True))


@picture_router.get(PREFIX + "{realm_id:int}/{shelf}/{token}/{filename}")
async def open_uploaded_avatar(
    ctx: Anybody, realm_id: Id, shelf: str, token: str, filename: str
) -> FileContent:
    """Open an uploaded picture."""
    content = await read_avatar(ctx, realm_id, f"{shelf}/{token}", filename)
    return FileContent.small(filename, _PNG, content, is_public=True)


@picture_router.get(DRAWN_PREFIX + "{hue:int}/{filename}")
async def open_drawn_picture(ctx: Anybody, hue: int, filename: str) -> FileContent:
    """Open a picture that the server draws: initials on a colour."""
    drawn = _DRAWN.fullmatch(filename)
    if drawn is None or not 0 <= hue <= _MAX_HUE:
        raise NotFoundError
    await ctx.release_connection()
    size = MEDIUM_SIZE if drawn["medium"] else SIZE
    content = await ctx.runtime.rendering_threads.run(
        draw_initials, drawn["initials"] or "", hue, size
    )
    return FileContent.small(filename, _PNG, content, is_public=True)
