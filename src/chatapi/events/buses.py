"""Which bus the settings ask for."""

from chatapi.core.settings import Settings
from chatapi.events.bus import Bus, LocalBus


def bus_for(settings: Settings) -> Bus:
    if not settings.redis_url:
        return LocalBus()
    # The client takes five megabytes that a server without Redis can do without.
    from chatapi.events.redis_bus import RedisBus  # noqa: PLC0415

    return RedisBus(settings.redis_url)
