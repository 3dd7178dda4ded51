"""GET, POST and DELETE /reminders, and their delivery."""

from dataclasses import replace
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.models import ScheduledMessage
from tests import factories
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import unsubscribe
from tests.features.messages.fetch.conversations import send, send_direct, unread_ids
from tests.features.messages.scheduled.scheduling import (
    notices_of,
    pass_an_hour,
    schedule,
    scheduled_of,
    seconds_from_now,
    to_people,
)
from tests.support.account_changes import deactivate, replace_api_key
from tests.support.added_rows import copy_only_row
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success

REMINDERS = "/reminders"


@pytest.fixture
def at(clock: MovableClock) -> int:
    """An hour from now."""
    return seconds_from_now(clock, 3600)


async def try_to_be_reminded(
    client: ApiClient, person: Person, message_id: int, at: int, **params: object
) -> ApiResponse:
    wanted = {"message_id": message_id, "scheduled_delivery_timestamp": at, **params}
    return await client.post(REMINDERS, person, **wanted)


async def be_reminded(
    client: ApiClient, person: Person, message_id: int, at: int, **params: object
) -> int:
    response = await try_to_be_reminded(client, person, message_id, at, **params)
    reminder_id: int = assert_success(response)["reminder_id"]
    return reminder_id


async def reminders_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    response = assert_success(await client.get(REMINDERS, person))
    reminders: list[dict[str, Any]] = response["reminders"]
    return reminders


@pytest.mark.any_database
class TestReminders:
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person, at: int) -> None:
        assert_error(await client.get(REMINDERS), "UNAUTHORIZED", 401)
        unknown = await client.post(REMINDERS, message_id=1, scheduled_delivery_timestamp=at)
        assert_error(unknown, "UNAUTHORIZED", 401)
        assert_error(await client.delete(f"{REMINDERS}/1"), "UNAUTHORIZED", 401)

    async def test_are_private_to_the_user(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        channel = await make_channel("general", subscribers=[owner, member])
        message_id = await send(client, owner, channel, "what. next?", "A secret")
        listener = await listen(client, member, event_types=["reminders"])
        outside = await listen(client, owner, event_types=["reminders"])
        assert listener.state["reminders"] == []
        reminder_id = await be_reminded(client, member, message_id, at, note=" Answer *this* ")
        [shown] = await reminders_of(client, member)
        content, rendered = shown.pop("content"), shown.pop("rendered_content")
        assert shown == {
            "reminder_id": reminder_id,
            "type": "private",
            "to": [member.user_id],
            "scheduled_delivery_timestamp": at,
            "failed": False,
            "reminder_target_message_id": message_id,
        }
        place = f"/#narrow/channel/{channel.id}-general/topic/what.2E.20next.3F/near/{message_id}"
        assert f"[a message]({place})" in content
        assert f'href="{place}"' in rendered
        assert "Answer <em>this</em>" in rendered
        assert "secret" not in content
        [event] = await listener.new_events()
        assert (event["type"], event["op"]) == ("reminders", "add")
        assert event["reminders"] == await reminders_of(client, member)
        assert (await listen(client, member)).state["reminders"] == event["reminders"]
        assert await reminders_of(client, owner) == []
        assert await outside.new_events() == []
        assert await scheduled_of(client, member) == []

    async def test_only_for_visible_messages(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        private = await make_channel(subscribers=[owner], invite_only=True)
        secret = await send(client, owner, private)
        between_others = await send_direct(client, owner, owner)
        elsewhere = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, elsewhere)
        client.http.base_url = "http://elsewhere.localhost"
        foreign = await send_direct(client, stranger, stranger)
        client.http.base_url = f"http://{realm.subdomain}.localhost"
        for message_id in (secret, between_others, foreign, 10**18):
            response = await try_to_be_reminded(client, member, message_id, at)
            assert assert_error(response) == "Invalid message(s)"
        assert await reminders_of(client, member) == []

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"message_id": "first"}, "message_id"),
            ({"message_id": -1}, "message_id"),
            ({"message_id": None}, "Missing 'message_id' argument"),
            ({"scheduled_delivery_timestamp": 1}, "must be in the future"),
            ({"scheduled_delivery_timestamp": "soon"}, "scheduled_delivery_timestamp"),
            ({"scheduled_delivery_timestamp": 10**15}, "scheduled_delivery_timestamp"),
            ({"note": "x" * 501}, "note is too long (limit: 500 characters)"),
            ({"note": "a\0b"}, "note must not contain NUL characters"),
        ],
    )
    async def test_error_names_the_invalid_parameter(
        self, client: ApiClient, member: Person, at: int, wrong: dict[str, object], message: str
    ) -> None:
        message_id = await send_direct(client, member, member)
        wanted = {"message_id": message_id, "scheduled_delivery_timestamp": at, **wrong}
        assert message in assert_error(await client.post(REMINDERS, member, **wanted))
        assert await reminders_of(client, member) == []

    @pytest.mark.slow
    async def test_number_is_limited(
        self, client: ApiClient, runtime: Runtime, member: Person, at: int
    ) -> None:
        message_id = await send_direct(client, member, member)
        await be_reminded(client, member, message_id, at)
        await copy_only_row(runtime, ScheduledMessage, copies=498)
        await be_reminded(client, member, message_id, at)
        response = await try_to_be_reminded(client, member, message_id, at)
        assert assert_error(response) == "Too many reminders (maximum 500)"
        state = (await listen(client, member, fetch_event_types=["realm"])).state
        assert state["max_reminder_note_length"] == 500


class TestRemove:
    async def test_only_own_reminders(
        self, client: ApiClient, owner: Person, member: Person, at: int
    ) -> None:
        message_id = await send_direct(client, member, member)
        reminder_id = await be_reminded(client, member, message_id, at)
        scheduled_id = await schedule(client, member, to_people(owner), at)
        listener = await listen(client, member, event_types=["reminders"])
        for person, unknown in ((owner, reminder_id), (member, scheduled_id), (member, 10**18)):
            response = await client.delete(f"{REMINDERS}/{unknown}", person)
            assert assert_error(response, status=400) == "Reminder does not exist"
        response = await client.delete(f"/scheduled_messages/{reminder_id}", member)
        assert assert_error(response, status=400) == "Scheduled message does not exist"
        assert_success(await client.delete(f"{REMINDERS}/{reminder_id}", member))
        assert await reminders_of(client, member) == []
        [event] = await listener.new_events()
        assert (event["op"], event["reminder_id"]) == ("remove", reminder_id)


class TestDelivery:
    async def test_quotes_the_message(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        channel = await make_channel("general", subscribers=[owner, member])
        text = f"@**{member.full_name}** look:\n````\n@**all**\n````"
        message_id = await send(client, owner, channel, content=text)
        reminder_id = await be_reminded(client, member, message_id, at, note="Answer this")
        mine = await listen(client, member, event_types=["reminders", "message"])
        theirs = await listen(client, owner, event_types=["reminders", "message"])
        await pass_an_hour(runtime, clock)
        [notice] = await notices_of(client, member)
        assert "You requested a reminder for the following message." in notice["content"]
        assert "Answer this" in notice["content"]
        assert f"@_**{owner.full_name}|{owner.user_id}** [said](/#narrow/" in notice["content"]
        assert text in notice["content"]
        assert notice["flags"] == []
        assert notice["id"] in await unread_ids(client, member)
        sent, removed = await mine.new_events()
        assert sent["message"]["id"] == notice["id"]
        assert (removed["op"], removed["reminder_id"]) == ("remove", reminder_id)
        assert await theirs.new_events() == []
        assert await reminders_of(client, member) == []

    async def test_of_a_direct_message(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        message_id = await send_direct(client, owner, member, content="Lunch?")
        await be_reminded(client, member, message_id, at)
        await pass_an_hour(runtime, clock)
        [notice] = await notices_of(client, member)
        people = f"{owner.user_id},{member.user_id}"
        assert f"/#narrow/dm/{people}/near/{message_id}" in notice["content"]
        assert "Lunch?" in notice["content"]

    @pytest.mark.any_database
    async def test_does_not_quote_a_message_that_became_hidden(
        self,
        client: ApiClient,
        runtime: Runtime,
        clock: MovableClock,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        channel = await make_channel("team", subscribers=[owner, member], invite_only=True)
        message_id = await send(client, owner, channel, content="A secret")
        await be_reminded(client, member, message_id, at, note="Answer this")
        assert_success(await unsubscribe(client, member, "team"))
        await pass_an_hour(runtime, clock)
        [notice] = await notices_of(client, member)
        assert "a message that is no longer available to you" in notice["content"]
        assert "Answer this" in notice["content"]
        assert "secret" not in notice["content"]
        assert "team" not in notice["content"]

    @pytest.mark.any_database
    async def test_fails_for_deactivated_users(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        message_id = await send_direct(client, member, member)
        await be_reminded(client, member, message_id, at)
        await deactivate(runtime, realm, member)
        await pass_an_hour(runtime, clock)
        again = await client.post(f"/users/{member.user_id}/reactivate", owner)
        assert_success(again)
        api_key = await replace_api_key(runtime, realm, member)
        [shown] = await reminders_of(client, replace(member, api_key=api_key))
        assert shown["failed"]
