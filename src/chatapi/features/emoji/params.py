"""Parameters of custom emoji."""

from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params


class UploadEmojiParams(Params):
    """One image, in a multipart form."""

    filename: UploadedFile
    """The picture, as the only file of the form: PNG, GIF, JPEG or WebP, 5 MiB at most."""
