"""Rate limits per address, per user and per login, with the headers that tell clients."""

import math
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import structlog
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError

from chatapi.core.errors import RateLimitedError
from chatapi.core.ids import UserId
from chatapi.core.names import name_key
from chatapi.core.settings import Settings
from chatapi.events.bus import FindDeployment
from chatapi.http.call import Call

log = structlog.get_logger()

Closing: TypeAlias = Callable[[], Awaitable[None]]


class RateLimits:
    """Requests are counted in each process, attempts at passwords in Redis where there is one.

    A round trip per request would cost more than it protects; a password is worth it. For as
    long as Redis does not answer, each process counts attempts by itself.
    """

    def __init__(self, settings: Settings, find_deployment: FindDeployment) -> None:
        self._is_on = settings.rate_limits == "on"
        self._find_deployment = find_deployment
        self._deployment: str | None = None
        self._requests = FixedWindowRateLimiter(MemoryStorage())
        shared, self._close_shared = _shared_storage(settings)
        self._logins = FixedWindowRateLimiter(shared)
        self._own_logins = FixedWindowRateLimiter(MemoryStorage())
        self._per_address = RateLimitItemPerMinute(settings.address_requests_per_minute)
        self._per_user = RateLimitItemPerMinute(settings.requests_per_minute)
        self._per_login = RateLimitItemPerMinute(settings.logins_per_minute)

    async def close(self) -> None:
        if self._close_shared is not None:
            await self._close_shared()

    async def charge_address(self, call: Call) -> None:
        await self._charge(call, self._requests, self._per_address, ("address", call.address))

    async def charge_user(self, call: Call, user_id: UserId) -> None:
        await self._charge(call, self._requests, self._per_user, ("user", str(user_id)))

    async def charge_login_from(self, call: Call) -> None:
        """Guessing passwords from one address; call before anything of the request is read."""
        await self._charge_login(call, ("login-from", call.address))

    async def charge_login_as(self, call: Call, username: str) -> None:
        """Guessing the password of one account from many addresses; call before it is looked up.

        The name is counted as it is typed: a count per account would tell which names exist, and
        which of them belong to the same person.
        """
        await self._charge_login(call, ("login-as", name_key(username)))

    async def _charge_login(self, call: Call, key: tuple[str, str]) -> None:
        if not self._is_on:
            return
        if self._deployment is None:
            # Others may count in the same Redis.
            self._deployment = await self._find_deployment()
        try:
            await self._charge(call, self._logins, self._per_login, (self._deployment, *key))
        except StorageError as error:
            log.warning("login_limit_unavailable", reason=str(error))
            await self._charge(call, self._own_logins, self._per_login, key)

    async def _charge(
        self,
        call: Call,
        counter: FixedWindowRateLimiter,
        limit: RateLimitItem,
        key: tuple[str, ...],
    ) -> None:
        if not self._is_on:
            return
        is_within = await counter.hit(limit, *key)
        window = await counter.get_window_stats(limit, *key)
        call.reply_headers = [
            (b"x-ratelimit-limit", str(limit.amount).encode()),
            (b"x-ratelimit-remaining", str(window.remaining).encode()),
            (b"x-ratelimit-reset", str(math.ceil(window.reset_time)).encode()),
        ]
        if not is_within:
            # By the same clock the library counts with.
            wait = max(0.0, window.reset_time - time.time())
            raise RateLimitedError(retry_after=round(wait, 3))


def _shared_storage(settings: Settings) -> tuple[Storage, Closing | None]:
    """Where attempts at passwords are counted, and how that is closed."""
    if not settings.redis_url:
        return MemoryStorage(), None
    # The client takes five megabytes that a server without Redis can do without.
    from chatapi.http.shared_limits import open_storage  # noqa: PLC0415

    return open_storage(settings.redis_url)
