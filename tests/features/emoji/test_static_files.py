"""Files about Unicode emoji, which clients load without authentication."""

import io
from pathlib import Path

import pytest
from PIL import Image

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.settings import Settings
from tests.factories import Person
from tests.support.apps import make_settings
from tests.support.client import ApiClient
from tests.support.listening import listen

FOR_EVER = "public, max-age=31536000, immutable"


@pytest.mark.any_database
class TestNames:
    async def test_names_of_all_emoji_are_at_the_address_in_the_state(
        self, client: ApiClient, member: Person
    ) -> None:
        address = (await listen(client, member)).state["server_emoji_data_url"]
        assert address.startswith("http://localhost/static/generated/emoji/emoji_api.")
        response = await client.http.get(address)
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/json"
        assert response.headers["cache-control"] == FOR_EVER
        names = response.json()["code_to_names"]
        assert "thumbs_up" in names["1f44d"]
        assert "+1" in names["1f44d"]
        assert len(names) > 1_500
        assert all(known and all(known) for known in names.values())

    async def test_no_name_belongs_to_two_emoji(self, client: ApiClient, member: Person) -> None:
        address = (await listen(client, member)).state["server_emoji_data_url"]
        names = (await client.http.get(address)).json()["code_to_names"]
        listed = [name for known in names.values() for name in known]
        assert len(listed) == len(set(listed))

    async def test_another_digest_is_not_found(self, client: ApiClient, realm: RealmRecord) -> None:
        del realm
        path = "/static/generated/emoji/emoji_api.0123456789abcdef.json"
        assert (await client.http.get(path)).status_code == 404


class TestPublicAddress:
    @pytest.fixture
    def settings(self, database_url: str, tmp_path: Path) -> Settings:
        return make_settings(database_url, tmp_path, public_url="https://chat.example.com")

    @pytest.mark.any_database
    async def test_address_begins_with_it(self, client: ApiClient, member: Person) -> None:
        address = (await listen(client, member)).state["server_emoji_data_url"]
        assert address.startswith("https://chat.example.com/static/")


@pytest.mark.any_database
async def test_extra_emoji_is_a_small_picture(client: ApiClient, realm: RealmRecord) -> None:
    del realm
    path = "/static/generated/emoji/images/emoji/unicode/zulip.png"
    response = await client.http.get(path)
    assert response.headers["content-type"] == "image/png"
    with Image.open(io.BytesIO(response.content)) as image:
        assert image.size == (64, 64)
