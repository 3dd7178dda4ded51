"""Redraws an uploaded image for a request, within the limits of its caller."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.pictures import DrawnPicture, Recipe, UnreadablePictureError
from chatapi.wire.files import UploadedFile

_MIB = 1024 * 1024


class BadImageError(BadRequestError):
    """The file is no image that can be read, or has too many pixels."""

    code = "BAD_IMAGE"


async def redraw(ctx: Context, file: UploadedFile, recipe: Recipe, max_mib: int) -> DrawnPicture:
    """Draw a recipe's variants from a file; releases the connection, since it takes long."""
    if file.size > max_mib * _MIB:
        raise BadRequestError(f"Uploaded file is larger than the allowed limit of {max_mib} MiB")
    await ctx.release_connection()
    async with ctx.heavy_rendering():
        try:
            return await ctx.runtime.painter.draw(file.content, recipe)
        except UnreadablePictureError as error:
            raise BadImageError(error.message) from None
