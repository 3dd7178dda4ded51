"""Rate limits per address, per user and per login, with the response headers for clients."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import structlog

from chatapi.core.clock import stopwatch
from chatapi.core.deployment import FindDeployment
from chatapi.core.errors import RateLimitedError
from chatapi.core.ids import UserId
from chatapi.core.names import name_key
from chatapi.core.settings import Settings
from chatapi.http.request import ApiRequest

if TYPE_CHECKING:
    from chatapi.http.shared_limits import SharedCounter

WINDOW_SECONDS = 60.0

Key = tuple[str, ...]

log = structlog.get_logger()
MAX_WAIT_SECONDS = 1.0
"""How long a login waits for Redis."""
_ASK_AGAIN_SECONDS = 5.0
"""How long Redis is not asked after it did not respond."""


class Window(NamedTuple):
    """The count of a window, and the time until it ends."""

    hits: int
    seconds_left: float


class WindowCounter:
    """Counts per key; a window begins with the first hit and lasts a minute.

    Uses a monotonic clock: when the time of day is set back, no client has to wait until it has
    caught up.
    """

    def __init__(self, now: Callable[[], float] = stopwatch) -> None:
        self._now = now
        self._windows: dict[Key, tuple[int, float]] = {}
        self._next_cleaning = now() + WINDOW_SECONDS

    def hit(self, key: Key) -> Window:
        """Increment the count of a key and return its window."""
        now = self._now()
        if now >= self._next_cleaning:
            self._forget_ended(now)
        count, ends_at = self._windows.get(key, (0, 0.0))
        if count == 0 or now >= ends_at:
            count, ends_at = 0, now + WINDOW_SECONDS
        self._windows[key] = count + 1, ends_at
        return Window(count + 1, ends_at - now)

    def __len__(self) -> int:
        """The number of keys in memory."""
        return len(self._windows)

    def _forget_ended(self, now: float) -> None:
        self._next_cleaning = now + WINDOW_SECONDS
        self._windows = {key: kept for key, kept in self._windows.items() if kept[1] > now}


class RateLimits:
    """Counts requests in each process, and login attempts in Redis if there is one.

    A round trip per request would cost more than it protects; a password is worth it. While Redis
    does not respond, each process counts attempts by itself.
    """

    def __init__(self, settings: Settings, find_deployment: FindDeployment) -> None:
        self._is_on = settings.rate_limits == "on"
        self._find_deployment = find_deployment
        self._deployment: str | None = None
        self._requests = WindowCounter()
        self._own_logins = WindowCounter()
        self._shared_logins = _shared_counter_for(settings)
        self._ask_shared_at = -math.inf
        self._per_address = settings.address_requests_per_minute
        self._per_user = settings.requests_per_minute
        self._per_login = settings.logins_per_minute

    async def close(self) -> None:
        if self._shared_logins is not None:
            await self._shared_logins.close()

    def charge_address(self, request: ApiRequest) -> None:
        self._charge(request, self._per_address, ("address", request.address))

    def charge_user(self, request: ApiRequest, user_id: UserId) -> None:
        self._charge(request, self._per_user, ("user", str(user_id)))

    async def charge_login_from(self, request: ApiRequest) -> None:
        """Limit password guessing from one address; call it before the request's body is read."""
        await self._charge_login(request, ("login-from", request.address))

    async def charge_login_as(self, request: ApiRequest, username: str) -> None:
        """Limit guessing of one account's password from many addresses; call it before the lookup.

        The name is counted as it is typed: a count per account would reveal which names exist, and
        which of them belong to the same person.
        """
        await self._charge_login(request, ("login-as", name_key(username)))

    async def _charge_login(self, request: ApiRequest, key: Key) -> None:
        if not self._is_on:
            return
        counter = self._shared_logins
        window: Window | None = None
        if counter is not None and stopwatch() >= self._ask_shared_at:
            if self._deployment is None:
                # Other deployments may count in the same Redis.
                self._deployment = await self._find_deployment()
            try:
                async with asyncio.timeout(MAX_WAIT_SECONDS):
                    window = await counter.hit((self._deployment, *key), self._per_login)
            except (ConnectionError, TimeoutError) as error:
                # Only the first request waits for a server that does not respond.
                self._ask_shared_at = stopwatch() + _ASK_AGAIN_SECONDS
                log.warning("login_limit_unavailable", reason=str(error) or "no answer")
        _judge(request, self._per_login, window or self._own_logins.hit(key))

    def _charge(self, request: ApiRequest, limit: int, key: Key) -> None:
        if self._is_on:
            _judge(request, limit, self._requests.hit(key))


def _judge(request: ApiRequest, limit: int, window: Window) -> None:
    """Set the rate limit headers of the response, and raise an error if the limit is exceeded."""
    request.response_headers = [
        (b"x-ratelimit-limit", str(limit).encode()),
        (b"x-ratelimit-remaining", str(max(0, limit - window.hits)).encode()),
        (b"x-ratelimit-reset", str(math.ceil(time.time() + window.seconds_left)).encode()),
    ]
    if window.hits > limit:
        raise RateLimitedError(retry_after=round(window.seconds_left, 3))


def _shared_counter_for(settings: Settings) -> "SharedCounter | None":
    if not settings.redis_url:
        return None
    # The Redis client takes five megabytes, which a server without Redis can save.
    from chatapi.http.shared_limits import SharedCounter  # noqa: PLC0415

    return SharedCounter(settings.redis_url)
