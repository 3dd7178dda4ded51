"""Parameters of uploads."""

from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params


class UploadFileParams(Params):
    """One file, in a multipart form."""

    filename: UploadedFile
    """The file, as the only one of the form. The name of the form field does not matter; the name
    of the file is kept."""
