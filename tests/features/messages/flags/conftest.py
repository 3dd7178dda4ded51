"""Users and a channel for tests of flags."""

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, MakeUser, Person


@pytest.fixture
async def reader(make_user: MakeUser) -> Person:
    return await make_user(full_name="Reader")


@pytest.fixture
async def writer(make_user: MakeUser) -> Person:
    return await make_user(full_name="Writer")


@pytest.fixture
async def general(make_channel: MakeChannel, reader: Person, writer: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[reader, writer])
