"""`chatapi demo`: a client that registers as the owner has something to show."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.cli.conftest import OWNER, OWNER_EMAIL, OWNER_PASSWORD
from tests.support.command import PATIENCE_SECONDS, Command

pytestmark = pytest.mark.slow

ALL: dict[str, str | int] = {
    "anchor": "oldest",
    "num_before": 0,
    "num_after": 500,
    "client_gravatar": "false",
}


@dataclass(frozen=True)
class Shown:
    """What the owner's client has read."""

    registered: Any
    messages: list[Any]
    in_general: list[Any]
    picture: httpx.Response

    def messages_with(self, key: str) -> list[Any]:
        return [message for message in self.messages if message[key]]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """The organization after two runs: the second one changes nothing."""
    folder = tmp_path_factory.mktemp("demo")
    command = Command(folder, {"data_dir": str(folder)})
    command.answer("db", "upgrade")
    command.answer("org", "create", "--name", "Acme")
    key = command.answer("user", "create", *OWNER, stdin=OWNER_PASSWORD)["api_key"]
    for _ in range(2):
        assert command.answer("demo", "--people", "20")["password"]
    assert len(command.answer("user", "api-keys", "--email", OWNER_EMAIL)["api_keys"]) == 1
    with command.serving() as serving:
        serving.read_greeting(last="Docs")
        with httpx.Client(
            base_url=f"{serving.url}/api/v1", auth=(OWNER_EMAIL, key), timeout=PATIENCE_SECONDS
        ) as http:
            registered = http.post("/register", json={}).json()
            messages = http.get("/messages", params=ALL).json()["messages"]
            narrow = '[{"operator": "channel", "operand": "general"}]'
            in_general = http.get("/messages", params={**ALL, "narrow": narrow}).json()["messages"]
            [chart] = [message for message in messages if "chart.png" in message["content"]]
            address = chart["content"].partition('href="')[2].partition('"')[0]
            yield Shown(registered, messages, in_general, http.get(f"{serving.url}{address}"))


def test_conversations_are_spread_over_days_in_channels_and_between_people(shown: Shown) -> None:
    days = {message["timestamp"] // 86_400 for message in shown.messages}
    assert len(days) > 4
    in_channels = [each for each in shown.messages if each["type"] == "stream"]
    channels = {message["display_recipient"] for message in in_channels}
    assert channels >= {"general", "announcements", "engineering", "design", "lunch", "books"}
    direct = [message for message in shown.messages if message["type"] == "private"]
    assert {len(message["display_recipient"]) for message in direct} == {2, 3}
    texts = [message["content"] for message in shown.messages]
    assert len(texts) == len({*texts}), "something was said twice"


def test_ids_grow_with_times_from_the_welcome_message_on(shown: Shown) -> None:
    """The owner came after the welcome message, which is in the history of the channel only."""
    assert "Welcome!" in shown.in_general[0]["content"]
    for messages in (shown.messages, shown.in_general):
        assert len(messages) > 3
        by_id = sorted(messages, key=lambda message: int(message["id"]))
        times = [message["timestamp"] for message in by_id]
        assert times == sorted(times)


def test_in_an_organization_with_messages_conversations_follow_them(command: Command) -> None:
    """Its own messages keep their times."""
    with command.serving() as serving:
        serving.read_greeting(last="Docs")
        key = command.answer("user", "api-key", "--email", OWNER_EMAIL)["api_key"]
        with httpx.Client(
            base_url=f"{serving.url}/api/v1", auth=(OWNER_EMAIL, key), timeout=PATIENCE_SECONDS
        ) as http:
            written = {"type": "channel", "to": "general", "topic": "hello", "content": "mine"}
            message_id = http.post("/messages", json=written).json()["id"]
            before = http.get(f"/messages/{message_id}").json()["message"]["timestamp"]
            command.answer("demo", "--people", "10")
            messages = http.get("/messages", params=ALL).json()["messages"]
    times = [each["timestamp"] for each in sorted(messages, key=lambda each: int(each["id"]))]
    assert times == sorted(times)
    [mine] = [each for each in messages if each["id"] == message_id]
    assert mine["timestamp"] == before


def test_messages_have_reactions_edits_widgets_and_mentions(shown: Shown) -> None:
    assert len(shown.messages_with("reactions")) > 10
    emoji = {
        reaction["reaction_type"] for message in shown.messages for reaction in message["reactions"]
    }
    assert emoji == {"unicode_emoji", "realm_emoji"}
    assert any("last_edit_timestamp" in message for message in shown.messages)
    widgets = [each["content"] for message in shown.messages for each in message["submessages"]]
    assert {kind for kind in ("poll", "todo") if any(kind in text for text in widgets)} == {
        "poll",
        "todo",
    }
    flags = [flag for message in shown.messages for flag in message["flags"]]
    assert {"mentioned", "starred", "read"} <= {*flags}


def test_topic_is_resolved(shown: Shown) -> None:
    assert "✔ slow search" in {message["subject"] for message in shown.messages}


def test_owner_has_unread_messages_but_not_only(shown: Shown) -> None:
    unread = shown.registered["unread_msgs"]
    assert unread["streams"]
    assert unread["pms"]
    assert unread["mentions"]
    assert 0 < unread["count"] < len(shown.messages) / 2


def test_people_have_pictures_statuses_groups_and_an_emoji(shown: Shown) -> None:
    registered = shown.registered
    pictures = [user for user in registered["realm_users"] if user["avatar_version"] > 1]
    assert len(pictures) >= 5
    assert len(registered["user_status"]) >= 4
    groups = {group["name"]: group for group in registered["realm_user_groups"]}
    assert len(groups["support-team"]["members"]) == 3
    assert [emoji["name"] for emoji in registered["realm_emoji"].values()] == ["shipit_crate"]


def test_picture_can_be_opened(shown: Shown) -> None:
    assert shown.picture.headers["content-type"] == "image/png"
    assert shown.picture.content.startswith(b"\x89PNG")
