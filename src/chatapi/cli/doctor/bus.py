"""Checks of Redis or Valkey, which carries events between processes."""

from collections.abc import Iterator

from chatapi.cli.doctor.finding import Area, Finding
from chatapi.core.settings import Settings
from chatapi.events.redis_facts import RedisFacts, read_redis_facts

_BUS = Area("bus")
_OLDEST_VERSION = (5, 0)
"""The first with streams."""


async def check_bus(settings: Settings, workers: int) -> list[Finding]:
    """Returns at least one finding."""
    if not settings.redis_url:
        if workers > 1:
            message = "events take up to a second between processes: set CHATAPI_REDIS_URL"
            return [_BUS.warning(message)]
        return [_BUS.ok("none is set, and one process needs none")]
    facts = await read_redis_facts(settings.redis_url)
    if not isinstance(facts, RedisFacts):
        return [
            _BUS.error(
                f"the server of CHATAPI_REDIS_URL does not answer ({facts}): events take up to a "
                "second between processes until it does"
            )
        ]
    return [_BUS.ok(f"{facts.name} {facts.version} answers"), *_faults(facts)]


def _faults(facts: RedisFacts) -> Iterator[Finding]:
    if tuple(map(int, facts.version.split(".")[:2])) < _OLDEST_VERSION:
        yield _BUS.error(f"version {facts.version} has no streams: install 5.0 or newer")
    if facts.evicts:
        yield _BUS.warning(
            f"maxmemory-policy {facts.eviction_policy} removes the stream of events when memory is "
            "short, and delivery then takes a second: set it to noeviction"
        )
