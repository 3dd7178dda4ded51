"""POST /realm/playgrounds and DELETE /realm/playgrounds/{playground_id}."""

from typing import Any

import pytest

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

PLAYGROUNDS = "/realm/playgrounds"
PYTHON: dict[str, object] = {
    "name": "Python playground",
    "pygments_language": "Python",
    "url_template": "https://python.example/?code={code}",
}


async def playgrounds_seen_by(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    state = (await listen(client, person, fetch_event_types=["realm_playgrounds"])).state
    playgrounds: list[dict[str, Any]] = state["realm_playgrounds"]
    return playgrounds


@pytest.mark.any_database
async def test_is_for_administrators(client: ApiClient, admin: Person, member: Person) -> None:
    added = assert_success(await client.post(PLAYGROUNDS, admin, **PYTHON))["id"]
    assert_error(await client.post(PLAYGROUNDS, member, **PYTHON), "UNAUTHORIZED_PRINCIPAL")
    refused = await client.delete(f"{PLAYGROUNDS}/{added}", member)
    assert_error(refused, "UNAUTHORIZED_PRINCIPAL")
    assert_error(await client.post(PLAYGROUNDS, None, **PYTHON), "UNAUTHORIZED", 401)
    assert await playgrounds_seen_by(client, member) == [{"id": added, **PYTHON}]


async def test_changes_are_sent_to_all_users(
    client: ApiClient, admin: Person, guest: Person
) -> None:
    listener = await listen(client, guest, event_types=["realm_playgrounds"])
    added = assert_success(await client.post(PLAYGROUNDS, admin, **PYTHON))["id"]
    assert_success(await client.delete(f"{PLAYGROUNDS}/{added}", admin))
    first, second = await listener.new_events()
    assert first["realm_playgrounds"] == [{"id": added, **PYTHON}]
    assert second["realm_playgrounds"] == []
    assert await playgrounds_seen_by(client, guest) == []


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": " "}, "name: Must be printable, and not blank"),
        ({"name": "x" * 101}, "name is too long (limit: 100 characters)"),
        ({"pygments_language": "a`b"}, "pygments_language: Invalid characters in language"),
        ({"url_template": "https://x.example/{code"}, "url_template: Invalid URL template."),
        ({"url_template": "https://x.example/"}, 'url_template: Its only variable must be "code"'),
        ({"url_template": "https://x/{code}{a}"}, 'url_template: Its only variable must be "code"'),
        ({"url_template": "javascript:{code}"}, "url_template: Must begin with https://"),
        ({"url_template": "{+code}"}, "url_template: Must begin with https://"),
    ],
)
async def test_invalid_ones_are_refused(
    client: ApiClient, admin: Person, wrong: dict[str, object], message: str
) -> None:
    refused = await client.post(PLAYGROUNDS, admin, **{**PYTHON, **wrong})
    assert message in assert_error(refused)
    assert await playgrounds_seen_by(client, admin) == []


async def test_same_one_twice_and_unknown_ones_are_refused(
    client: ApiClient, admin: Person
) -> None:
    assert_success(await client.post(PLAYGROUNDS, admin, **PYTHON))
    refused = await client.post(PLAYGROUNDS, admin, **PYTHON)
    assert "name: A playground of this language" in assert_error(refused)
    refused = await client.delete(f"{PLAYGROUNDS}/4711", admin)
    assert assert_error(refused) == "Invalid playground"
