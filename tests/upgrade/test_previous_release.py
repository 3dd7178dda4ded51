"""The database of an earlier version, upgraded and served by this one, shows the same."""

from typing import Any

import pytest

from chatapi.core.clock import SystemClock
from chatapi.core.ids import UserId
from chatapi.db.database import Database
from chatapi.db.migrate import current_revision, newest_revision, pending_changes, upgrade_database
from chatapi.main import ChatApp
from tests.backup.conftest import MakeEmpty
from tests.factories import Person
from tests.features.uploads.files import open_file
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.upgrade.previous_release import REVISION, lay_down, recorded

pytestmark = pytest.mark.slow


async def test_upgraded_database_shows_the_same(backend: str, make_empty: MakeEmpty) -> None:
    settings = await make_empty(backend)
    await lay_down(settings)
    database = Database(settings)
    async with database.engine.connect() as connection:
        assert await connection.run_sync(current_revision) == REVISION < newest_revision()
    await upgrade_database(database)
    assert await pending_changes(database) == []
    await database.close()
    async with running_app(settings, SystemClock()) as app:
        await check_everything(app)


async def check_everything(app: ChatApp) -> None:
    shown = recorded()
    client = ApiClient(app)
    people = [
        Person(UserId(0), email, expected.pop("api_key"))
        for email, expected in shown["people"].items()
    ]
    for person in people:
        assert await what_is_shown(client, person) == shown["people"][person.email]
        file = await open_file(client, person, shown["file"]["path"])
        assert file.text == shown["file"]["content"]
    newest = max(message["id"] for each in shown["people"].values() for message in each["messages"])
    for person in people:
        sent = await client.post(
            "/messages", person, type="channel", to="Design", topic="new", content="Still here"
        )
        assert assert_success(sent)["id"] > newest
    await client.aclose()


async def what_is_shown(client: ApiClient, person: Person) -> dict[str, Any]:
    """In the form in which it was recorded."""
    state = assert_success(await client.post("/register", person))
    page = assert_success(
        await client.get(
            "/messages", person, anchor="oldest", num_before=0, num_after=100, apply_markdown=False
        )
    )
    return {
        "messages": [as_recorded(message) for message in page["messages"]],
        "users": sorted(
            [user["user_id"], user["full_name"], user["role"], user["is_active"]]
            for user in state["realm_users"]
        ),
        "subscriptions": sorted(
            [each["stream_id"], each["name"], each["invite_only"]]
            for each in state["subscriptions"]
        ),
        "groups": sorted(
            [group["name"], sorted(group["members"])] for group in state["realm_user_groups"]
        ),
        "unread": state["unread_msgs"]["count"],
    }


def as_recorded(message: dict[str, Any]) -> dict[str, Any]:
    kept = ("id", "sender_email", "content", "subject", "flags", "timestamp", "type")
    return {
        **{key: message[key] for key in kept},
        "display_recipient": message["display_recipient"],
        "reactions": [[each["emoji_name"], each["user_id"]] for each in message["reactions"]],
        "edits": len(message.get("edit_history", [])),
    }
