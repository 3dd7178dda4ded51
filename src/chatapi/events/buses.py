"""Creates the bus that the settings select."""

from chatapi.core.settings import Settings
from chatapi.events.bus import Bus, LocalBus


def bus_for(settings: Settings) -> Bus:
    if not settings.redis_url:
        return LocalBus()
    # Imported only if used: the client takes five megabytes of memory.
    from chatapi.events.redis_bus import RedisBus  # noqa: PLC0415

    return RedisBus(settings.redis_url)
