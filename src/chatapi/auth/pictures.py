"""Redraws an uploaded image for a request, within the limits of its caller."""

from dataclasses import Field, dataclass
from typing import Any

from typing_extensions import override

from chatapi.auth.context import Context
from chatapi.core.errors import ApiError, BadRequestError
from chatapi.pictures import DrawnPicture, Recipe, UnreadablePictureError
from chatapi.wire.files import UploadedFile

_MIB = 1024 * 1024


@dataclass(eq=False)
class BadImageError(ApiError):
    """The file is no image that can be read, or has too many pixels."""

    code = "BAD_IMAGE"
    message: str

    @property
    @override
    def msg(self) -> str:
        return self.message

    @classmethod
    @override
    def extra_fields(cls) -> tuple[Field[Any], ...]:
        return ()


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
