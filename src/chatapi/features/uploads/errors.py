"""Errors of uploads."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class UploadQuotaError(ApiError):
    """The files of the realm would exceed its storage quota."""

    code: ClassVar[str] = "REALM_UPLOAD_QUOTA"
    text: ClassVar[str] = "Upload would exceed your organization's upload quota."
