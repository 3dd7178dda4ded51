"""Rate limit counters in Redis, shared by all processes."""

import time
from typing import Any

from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from chatapi.http.limits import MAX_WAIT_SECONDS, WINDOW_SECONDS, Key, Window


class SharedCounter:
    """Counts per key, for all processes with the same Redis; a window lasts a minute."""

    def __init__(self, redis_url: str) -> None:
        """Does not connect yet.

        The pool is our own: the library never closes those it makes, and waits long for a lost
        server.
        """
        self._connections: ConnectionPool = ConnectionPool.from_url(
            redis_url,
            retry=Retry(NoBackoff(), 1),
            # A login waits no longer for a server that does not respond.
            socket_timeout=MAX_WAIT_SECONDS,
            socket_connect_timeout=MAX_WAIT_SECONDS,
        )
        options: dict[str, Any] = {"connection_pool": self._connections}
        # The library has its own scheme for the URL of a Unix socket.
        url = redis_url.replace("unix://", "redis+unix://", 1)
        storage = RedisStorage(
            f"async+{url}", wrap_exceptions=True, implementation="redispy", **options
        )
        self._limiter = FixedWindowRateLimiter(storage)

    async def close(self) -> None:
        await self._connections.aclose()

    async def hit(self, key: Key, most: int) -> Window:
        """Increment the count of a key, up to one above the limit, and return its window.

        Raises ConnectionError if Redis cannot be asked.
        """
        try:
            return await self._hit(key, RateLimitItemPerMinute(most))
        except StorageError as error:
            raise ConnectionError(str(error)) from error

    async def _hit(self, key: Key, limit: RateLimitItemPerMinute) -> Window:
        is_within = await self._limiter.hit(limit, *key)
        stats = await self._limiter.get_window_stats(limit, *key)
        seconds_left = max(0.0, stats.reset_time - time.time())
        if seconds_left > WINDOW_SECONDS + MAX_WAIT_SECONDS:
            # Redis uses the time of day, and its clock was set back.
            await self._limiter.clear(limit, *key)
            return await self._hit(key, limit)
        hits = limit.amount - stats.remaining if is_within else limit.amount + 1
        return Window(hits, min(seconds_left, WINDOW_SECONDS))
