"""Password hashing: argon2id through passlib, in a thread, since it takes tens of milliseconds."""

import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from chatapi.core.settings import Settings
from chatapi.core.worker_threads import WorkerThreads

if TYPE_CHECKING:
    from passlib.context import CryptContext

MIN_LENGTH = 6
MAX_LENGTH = 100
_THREADS = 2


class Passwords:
    """Hashes and verifies passwords without blocking the event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._decoy: str | None = None
        self._threads = WorkerThreads("passwords", _THREADS)

    def close(self) -> None:
        self._threads.close()

    @cached_property
    def _context(self) -> "CryptContext":
        """Created in the thread of the first password: most requests have an API key."""
        from passlib.context import CryptContext  # noqa: PLC0415

        return CryptContext(
            schemes=["argon2"],
            argon2__type="ID",
            argon2__memory_cost=self._settings.password_hash_kib,
            argon2__rounds=self._settings.password_hash_rounds,
            argon2__parallelism=1,
        )

    async def hash(self, password: str) -> str:
        return await self._threads.run(self._hash, password)

    async def verify(self, password: str, password_hash: str | None) -> bool:
        """Takes equally long for an account without a password, or for no account at all."""
        if self._decoy is None:
            self._decoy = await self.hash(secrets.token_hex())
        matches = await self._threads.run(self._matches, password, password_hash or self._decoy)
        return matches and password_hash is not None

    def _hash(self, password: str) -> str:
        return self._context.hash(password)

    def _matches(self, password: str, password_hash: str) -> bool:
        return self._context.verify(password, password_hash)
