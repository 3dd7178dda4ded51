"""Which bus the settings ask for."""

from chatapi.core.settings import Settings
from chatapi.events.bus import Bus, LocalBus
from chatapi.events.redis_bus import RedisBus


def bus_for(settings: Settings) -> Bus:
    return RedisBus(settings.redis_url) if settings.redis_url else LocalBus()
