"""What rendering takes from the author's settings and from the organization."""

import pytest

from chatapi.core.settings import Settings
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success


async def render(client: ApiClient, author: Person, content: str) -> str:
    response = await client.post("/messages/render", author, content=content)
    return str(assert_success(response)["rendered"])


@pytest.mark.any_database
async def test_emoticons_are_translated_for_authors_who_switched_it_on(
    client: ApiClient, member: Person
) -> None:
    assert await render(client, member, "hi :)") == "<p>hi :)</p>"
    assert_success(await client.patch("/settings", member, translate_emoticons=True))
    assert 'class="emoji emoji-1f642"' in await render(client, member, "hi :)")


@pytest.mark.any_database
class TestOwnServer:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"public_url": "https://chat.example.com"})

    async def test_links_to_it_are_relative(self, client: ApiClient, member: Person) -> None:
        html = await render(client, member, "https://chat.example.com/#narrow/is/starred")
        assert 'href="#narrow/is/starred"' in html

    async def test_links_elsewhere_are_absolute(self, client: ApiClient, member: Person) -> None:
        html = await render(client, member, "https://example.com/#narrow/is/starred")
        assert 'href="https://example.com/#narrow/is/starred"' in html
