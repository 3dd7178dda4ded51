"""AWS Signature Version 4, as far as a file store needs it."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote

from msgspec import Struct

EMPTY_DIGEST = hashlib.sha256(b"").hexdigest()
_ALGORITHM = "AWS4-HMAC-SHA256"
NO_QUERY: Mapping[str, str] = {}


class SigningKey(Struct, frozen=True):
    """The credentials that sign requests, and the region and service they are for."""

    access_key: str
    secret_key: str
    region: str
    service: str = "s3"

    def authorization(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        at: datetime,
        query: Mapping[str, str] = NO_QUERY,
    ) -> str:
        """Return the Authorization header of a request.

        `headers` are all signed headers, including `x-amz-content-sha256`; `path` is not escaped.
        """
        moment = amz_date(at)
        scope = f"{moment[:8]}/{self.region}/{self.service}/aws4_request"
        signed = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
        names = ";".join(sorted(signed))
        request = "\n".join(
            [
                method,
                escape_path(path),
                encode_query(query),
                *(f"{name}:{signed[name]}" for name in sorted(signed)),
                "",
                names,
                signed["x-amz-content-sha256"],
            ]
        )
        digest = hashlib.sha256(request.encode()).hexdigest()
        text = f"{_ALGORITHM}\n{moment}\n{scope}\n{digest}"
        signature = _mac(self._derived(moment[:8]), text).hex()
        return (
            f"{_ALGORITHM} Credential={self.access_key}/{scope},"
            f"SignedHeaders={names},Signature={signature}"
        )

    def _derived(self, day: str) -> bytes:
        key = f"AWS4{self.secret_key}".encode()
        for part in (day, self.region, self.service, "aws4_request"):
            key = _mac(key, part)
        return key


def amz_date(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def escape_path(path: str) -> str:
    return quote(path, safe="/-_.~")


def encode_query(query: Mapping[str, str]) -> str:
    """Encode a query in the order and with the escapes that the signature requires."""
    pairs = sorted((quote(name, safe="-_.~"), quote(query[name], safe="-_.~")) for name in query)
    return "&".join(f"{name}={value}" for name, value in pairs)


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
