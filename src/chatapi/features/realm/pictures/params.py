"""Parameters of the organization's pictures."""

from pydantic import Field

from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params


class UploadIconParams(Params):
    """One image, in a multipart form."""

    file: UploadedFile


class LogoParams(Params):
    """Which logo is meant."""

    night: bool = Field(default=False, description="The logo on dark backgrounds.")


class UploadLogoParams(LogoParams):
    """One image, in a multipart form."""

    file: UploadedFile
