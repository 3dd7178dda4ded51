"""Parameters of uploads."""

from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params


class UploadFileParams(Params):
    """One file, in a multipart form."""

    filename: UploadedFile
