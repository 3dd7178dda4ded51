"""Default time and channel of scheduled messages."""

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, Person
from tests.features.messages.scheduled.scheduling import seconds_from_now
from tests.support.clock import MovableClock


@pytest.fixture
def at(clock: MovableClock) -> int:
    """An hour from now."""
    return seconds_from_now(clock, 3600)


@pytest.fixture
async def channel(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[owner, member])
