"""Parameters of the avatar endpoints."""

from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params


class UploadAvatarParams(Params):
    """One image, in a multipart form."""

    file: UploadedFile
    """The picture, as the only file of the form: PNG, GIF, JPEG or WebP, 5 MiB at most."""
