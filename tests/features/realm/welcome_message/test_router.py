"""POST /realm/test_welcome_bot_custom_message."""

import pytest

from tests.factories import Person
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

PATH = "/realm/test_welcome_bot_custom_message"


@pytest.mark.any_database
async def test_administrator_gets_the_message(client: ApiClient, admin: Person) -> None:
    listener = await listen(client, admin, event_types=["message"])
    text = "Welcome to **Acme**!"
    sent = await client.post(PATH, admin, welcome_message_custom_text=text)
    [event] = await listener.new_events()
    assert assert_success(sent) == {"message_id": event["message"]["id"]}
    assert event["message"]["content"] == text
    assert event["message"]["sender_full_name"] == "Notification Bot"


@pytest.mark.any_database
async def test_is_for_administrators(client: ApiClient, member: Person) -> None:
    refused = await client.post(PATH, member, welcome_message_custom_text="Hi")
    assert_error(refused, "UNAUTHORIZED_PRINCIPAL")
    assert_error(
        await client.post(PATH, None, welcome_message_custom_text="Hi"), "UNAUTHORIZED", 401
    )


@pytest.mark.any_database
async def test_empty_text_is_refused(client: ApiClient, admin: Person) -> None:
    for text in ("", " "):
        refused = await client.post(PATH, admin, welcome_message_custom_text=text)
        assert assert_error(refused) == "welcome_message_custom_text cannot be empty"


@pytest.mark.any_database
async def test_new_user_gets_the_text_of_the_setting(client: ApiClient, admin: Person) -> None:
    await change_realm(client, admin, welcome_message_custom_text="Welcome to **Acme**!")
    new = {"email": "ada@example.com", "full_name": "Ada", "password": "correct horse"}
    user_id = assert_success(await client.post("/users", admin, **new))["user_id"]
    login = {"username": "ada@example.com", "password": "correct horse"}
    key = assert_success(await client.post("/fetch_api_key", None, **login))["api_key"]
    newcomer = Person(user_id, "ada@example.com", key)
    wanted = {"anchor": "newest", "num_before": 5, "num_after": 0, "apply_markdown": False}
    found = assert_success(await client.get("/messages", newcomer, **wanted))["messages"]
    assert [message["content"] for message in found] == ["Welcome to **Acme**!"]
