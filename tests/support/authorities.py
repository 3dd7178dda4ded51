"""A certificate authority of a test, and certificates that it signs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme


class PrivateAuthority:
    """An authority that is trusted only where configured; its files are in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self._folder = folder
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def certify(self, *names: str, has_expired: bool = False) -> Path:
        """A file with a key and its certificate for some host names or addresses."""
        now = datetime.now(UTC)
        certificate = self._authority.issue_cert(
            *names,
            not_before=now - timedelta(days=2),
            not_after=now + timedelta(days=-1 if has_expired else 1),
        )
        file = self._folder / "server.pem"
        certificate.private_key_and_cert_chain_pem.write_to_path(file)
        return file
