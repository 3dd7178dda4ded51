"""A real server for clients that are programs of their own."""

from collections.abc import AsyncIterator

import pytest

from chatapi.main import ChatApp
from tests.support.live_server import live_server


@pytest.fixture
async def url(app: ChatApp) -> AsyncIterator[str]:
    async with live_server(app) as address:
        yield address
