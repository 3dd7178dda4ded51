"""Rate limit counters in Redis, shared by all processes."""

from typing import Any

from limits.aio.storage import RedisStorage, Storage
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from chatapi.http.limits import Closing

_TIMEOUT_SECONDS = 1


def open_storage(redis_url: str) -> tuple[Storage, Closing]:
    """Returns the counters, and the function that closes their connections.

    The pool is our own: the library never closes those it makes, and waits long for a lost server.
    """
    connections: ConnectionPool = ConnectionPool.from_url(
        redis_url,
        retry=Retry(NoBackoff(), 1),
        # A login waits no longer for a server that does not respond.
        socket_timeout=_TIMEOUT_SECONDS,
        socket_connect_timeout=_TIMEOUT_SECONDS,
    )
    options: dict[str, Any] = {"connection_pool": connections}
    # The library has its own scheme for the URL of a Unix socket.
    url = redis_url.replace("unix://", "redis+unix://", 1)
    storage = RedisStorage(
        f"async+{url}", wrap_exceptions=True, implementation="redispy", **options
    )
    return storage, connections.aclose
