"""Parameters of the organization's pictures."""

from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params


class UploadIconParams(Params):
    """One image, in a multipart form."""

    file: UploadedFile
    """The picture, as the only file of the form: PNG, GIF, JPEG or WebP, 5 MiB at most."""


class LogoParams(Params):
    """Which logo is meant."""

    night: bool = False
    """Whether the logo for dark backgrounds is meant, instead of that for light ones."""


class UploadLogoParams(LogoParams):
    """One image, in a multipart form."""

    file: UploadedFile
    """The picture, as the only file of the form: PNG, GIF, JPEG or WebP, 5 MiB at most."""
