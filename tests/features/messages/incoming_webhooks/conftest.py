"""A webhook bot, its channel, and a real server for programs that send documents."""

from collections.abc import AsyncIterator

import httpx
import pytest

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import BotType
from chatapi.main import ChatApp
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.live_server import live_server
from tests.support.waiting import MAX_WAIT_SECONDS


@pytest.fixture
async def http(app: ChatApp) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        live_server(app) as url,
        httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_SECONDS) as client,
    ):
        yield client


@pytest.fixture
async def webhook(make_user: MakeUser, owner: Person) -> Person:
    return await make_user(bot_owner=owner, bot_type=BotType.INCOMING_WEBHOOK)


@pytest.fixture
async def channel(make_channel: MakeChannel, owner: Person) -> ChannelRecord:
    return await make_channel("builds", subscribers=[owner])
