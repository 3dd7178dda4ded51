"""Signed addresses that open a file without credentials, for a short time; pure."""

import hashlib
import hmac
from datetime import datetime, timedelta

from msgspec import Struct
from typing_extensions import override

from chatapi.core.clock import unix_seconds
from chatapi.core.ids import ApiKeyId, AttachmentId
from chatapi.features.uploads.records import AttachmentRecord

_GOOD_FOR = timedelta(seconds=60)


class TemporaryLink(Struct, frozen=True):
    """The content of such an address: file, API key that requested it, expiry and signature."""

    attachment_id: AttachmentId
    key_id: ApiKeyId
    """The address expires together with the API key that requested it."""
    until: int
    signature: str

    @classmethod
    def to(cls, attachment: AttachmentRecord, key_id: ApiKeyId, now: datetime) -> "TemporaryLink":
        until = unix_seconds(now + _GOOD_FOR)
        return cls(attachment.id, key_id, until, _sign(attachment, key_id, until))

    @classmethod
    def parse(cls, text: str) -> "TemporaryLink | None":
        match text.split("."):
            case [*numbers, signature] if len(numbers) == 3 and all(map(_is_number, numbers)):  # noqa: PLR2004 (see __str__)
                attachment_id, key_id, until = map(int, numbers)
                return cls(AttachmentId(attachment_id), ApiKeyId(key_id), until, signature)
            case _:
                return None

    @override
    def __str__(self) -> str:
        return f"{self.attachment_id}.{self.key_id}.{self.until}.{self.signature}"

    def opens(self, attachment: AttachmentRecord, now: datetime) -> bool:
        expected = _sign(attachment, self.key_id, self.until)
        is_genuine = hmac.compare_digest(expected.encode(), self.signature.encode())
        return is_genuine and unix_seconds(now) <= self.until


def _sign(attachment: AttachmentRecord, key_id: ApiKeyId, until: int) -> str:
    text = f"{attachment.id}.{key_id}.{until}"
    return hmac.digest(attachment.link_secret.encode(), text.encode(), hashlib.sha256).hex()


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18  # noqa: PLR2004 (digits of an id)
