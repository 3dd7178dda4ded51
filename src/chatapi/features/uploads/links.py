"""Addresses that open a file without credentials, for a moment; pure."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta

from typing_extensions import override

from chatapi.core.clock import unix_seconds
from chatapi.core.ids import AttachmentId
from chatapi.features.uploads.records import AttachmentRecord

_GOOD_FOR = timedelta(seconds=60)


@dataclass(frozen=True)
class TemporaryLink:
    """What such an address says: which file, until when, and a signature."""

    attachment_id: AttachmentId
    until: int
    signature: str

    @classmethod
    def to(cls, attachment: AttachmentRecord, now: datetime) -> "TemporaryLink":
        until = unix_seconds(now + _GOOD_FOR)
        return cls(attachment.id, until, _sign(attachment, until))

    @classmethod
    def parse(cls, text: str) -> "TemporaryLink | None":
        match text.split("."):
            case [number, until, signature] if _is_number(number) and _is_number(until):
                return cls(AttachmentId(int(number)), int(until), signature)
            case _:
                return None

    @override
    def __str__(self) -> str:
        return f"{self.attachment_id}.{self.until}.{self.signature}"

    def opens(self, attachment: AttachmentRecord, now: datetime) -> bool:
        expected = _sign(attachment, self.until)
        is_genuine = hmac.compare_digest(expected.encode(), self.signature.encode())
        return is_genuine and unix_seconds(now) <= self.until


def _sign(attachment: AttachmentRecord, until: int) -> str:
    text = f"{attachment.id}.{until}"
    return hmac.digest(attachment.link_secret.encode(), text.encode(), hashlib.sha256).hex()


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18  # noqa: PLR2004 (digits of an id)
