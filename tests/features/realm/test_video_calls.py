"""Video calls: which server clients start them on."""

from pathlib import Path

import pytest

from chatapi.core.settings import Settings
from tests.factories import Person
from tests.features.realm.settings import change_realm
from tests.support.apps import make_settings
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


@pytest.mark.any_database
async def test_without_a_server_calls_cannot_be_enabled(client: ApiClient, admin: Person) -> None:
    state = (await listen(client, admin)).state
    assert state["jitsi_server_url"] == ""
    assert state["server_jitsi_server_url"] is None
    assert state["realm_jitsi_server_url"] is None
    assert state["realm_video_chat_provider"] == 0
    refused = await client.patch("/realm", admin, video_chat_provider=1)
    assert assert_error(refused) == "video_chat_provider needs a jitsi_server_url"


@pytest.mark.any_database
async def test_organization_uses_a_server_of_its_own(client: ApiClient, admin: Person) -> None:
    listener = await listen(client, admin, event_types=["realm"])
    await change_realm(
        client, admin, video_chat_provider=1, jitsi_server_url="https://meet.example.com/"
    )
    told = {event["property"]: event["value"] for event in await listener.new_events()}
    assert told == {"video_chat_provider": 1, "jitsi_server_url": "https://meet.example.com"}
    assert (await listen(client, admin)).state["jitsi_server_url"] == "https://meet.example.com"
    refused = await client.patch("/realm", admin, jitsi_server_url="default")
    assert assert_error(refused) == "video_chat_provider needs a jitsi_server_url"
    await change_realm(client, admin, jitsi_server_url="default", video_chat_provider=0)
    assert (await listen(client, admin)).state["realm_jitsi_server_url"] is None


@pytest.mark.any_database
@pytest.mark.parametrize("address", ["", "meet", "javascript:alert(1)", "https://x/" + "a" * 200])
async def test_address_must_be_one_of_the_web(
    client: ApiClient, admin: Person, address: str
) -> None:
    refused = await client.patch("/realm", admin, jitsi_server_url=address)
    assert "jitsi_server_url" in assert_error(refused)


class TestServerOfTheOperator:
    @pytest.fixture
    def settings(self, database_url: str, tmp_path: Path) -> Settings:
        return make_settings(database_url, tmp_path, jitsi_server_url="https://jitsi.example.com/")

    @pytest.mark.any_database
    async def test_organization_without_an_own_one_uses_it(
        self, client: ApiClient, admin: Person
    ) -> None:
        assert_success(await client.patch("/realm", admin, video_chat_provider=1))
        state = (await listen(client, admin)).state
        assert state["jitsi_server_url"] == "https://jitsi.example.com"
        assert state["server_jitsi_server_url"] == "https://jitsi.example.com"
        assert state["realm_available_video_chat_providers"]["jitsi_meet"]["id"] == 1
