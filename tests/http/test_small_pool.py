"""One database connection is enough: no request holds one while waiting for another."""

import asyncio

import pytest

from chatapi.core.settings import Settings
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.waiting import MAX_WAIT_SECONDS


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"database_pool_size": 1})


class TestOneConnection:
    async def test_is_enough_for_concurrent_requests(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        listener = await listen(client, member)
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            responses = await asyncio.gather(
                client.get("/users", member),
                client.post("/register", member),
                client.patch("/settings", member, full_name="New Name"),
                client.patch("/settings", admin, web_font_size_px=20),
                client.post("/register", admin),
                listener.poll(),
            )
        for response in responses:
            assert_success(response)
