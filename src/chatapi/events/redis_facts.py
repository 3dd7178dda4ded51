"""What operators should know about the server of the bus."""

from msgspec import Struct

_TIMEOUT_SECONDS = 3.0


class RedisFacts(Struct, frozen=True):
    """Its name and version, and what it does when memory is short."""

    name: str
    version: str
    memory_limit: int
    """In bytes; 0: none."""
    eviction_policy: str

    @property
    def evicts(self) -> bool:
        """Whether keys that expire, such as the stream of events, can be removed before that."""
        return self.eviction_policy != "noeviction" and self.memory_limit > 0


async def read_redis_facts(url: str) -> RedisFacts | str:
    """Returns the facts, or the reason why the server cannot be used."""
    # Imported only if used: the client takes five megabytes of memory.
    from redis.asyncio import Redis  # noqa: PLC0415
    from redis.exceptions import RedisError  # noqa: PLC0415

    try:
        redis = Redis.from_url(
            url,
            protocol=2,
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
            decode_responses=True,
        )
        async with redis:
            facts = await redis.info()
    except (RedisError, OSError, ValueError) as error:
        return str(error) or type(error).__name__
    name = str(facts.get("server_name", "redis"))
    return RedisFacts(
        name=name,
        version=str(facts.get(f"{name}_version", facts["redis_version"])),
        memory_limit=int(facts.get("maxmemory", 0)),
        eviction_policy=str(facts.get("maxmemory_policy", "noeviction")),
    )
