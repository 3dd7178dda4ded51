"""PATCH /scheduled_messages/{scheduled_message_id}."""

from typing import Any

import pytest

from chatapi.auth.runtime import Runtime
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import unsubscribe
from tests.features.messages.scheduled.scheduling import (
    deliver_due,
    edit,
    schedule,
    scheduled_of,
    to_channel,
    to_people,
)
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


async def only(client: ApiClient, person: Person) -> dict[str, Any]:
    [shown] = await scheduled_of(client, person)
    return shown


@pytest.mark.any_database
class TestEdit:
    async def test_anonymous_is_refused(
        self, client: ApiClient, owner: Person, member: Person, at: int
    ) -> None:
        scheduled_id = await schedule(client, member, to_people(owner), at)
        before = await only(client, member)
        response = await client.patch(f"/scheduled_messages/{scheduled_id}", content="Mine")
        assert_error(response, "UNAUTHORIZED", 401)
        for person, unknown in ((owner, scheduled_id), (member, scheduled_id + 1)):
            response = await edit(client, person, unknown, content="Mine")
            assert assert_error(response, status=400) == "Scheduled message does not exist"
        assert await only(client, member) == before

    async def test_changes_only_what_is_passed(
        self, client: ApiClient, make_channel: MakeChannel, member: Person, at: int
    ) -> None:
        channel = await make_channel(subscribers=[member])
        scheduled_id = await schedule(client, member, to_channel(channel), at)
        listener = await listen(client, member, event_types=["scheduled_messages"])
        expected = await only(client, member)
        steps: list[tuple[dict[str, object], dict[str, object]]] = [
            ({"content": "*New*"}, {"content": "*New*", "rendered_content": "<p><em>New</em></p>"}),
            ({"topic": "other"}, {"topic": "other"}),
            (
                {"scheduled_delivery_timestamp": at + 60},
                {"scheduled_delivery_timestamp": at + 60},
            ),
            (
                {"type": "stream", "content": "Newer"},
                {"content": "Newer", "rendered_content": "<p>Newer</p>"},
            ),
        ]
        for passed, changed in steps:
            assert_success(await edit(client, member, scheduled_id, **passed))
            expected |= changed
            assert await only(client, member) == expected
            [event] = await listener.new_events()
            assert (event["op"], event["scheduled_message"]) == ("update", expected)

    async def test_edit_without_change_emits_no_event(
        self, client: ApiClient, owner: Person, member: Person, at: int
    ) -> None:
        scheduled_id = await schedule(client, member, to_people(owner), at, content="Same")
        listener = await listen(client, member, event_types=["scheduled_messages"])
        assert_success(await edit(client, member, scheduled_id))
        assert_success(await edit(client, member, scheduled_id, content="Same", topic="ignored"))
        assert await listener.new_events() == []

    async def test_moves_to_another_channel(
        self, client: ApiClient, make_channel: MakeChannel, member: Person, at: int
    ) -> None:
        old, new = [await make_channel(subscribers=[member]) for _ in range(2)]
        scheduled_id = await schedule(client, member, to_channel(old, "topic"), at)
        assert_success(await edit(client, member, scheduled_id, to=new.id))
        shown = await only(client, member)
        assert (shown["type"], shown["to"], shown["topic"]) == ("stream", new.id, "topic")

    async def test_type_changes_with_the_recipient(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person, at: int
    ) -> None:
        channel = await make_channel(subscribers=[member])
        scheduled_id = await schedule(client, member, to_people(owner), at)
        response = await edit(client, member, scheduled_id, type="channel", topic="topic")
        assert "Missing 'to' argument" in assert_error(response)
        response = await edit(client, member, scheduled_id, type="stream", to=channel.id)
        assert "Missing 'topic' argument" in assert_error(response)
        assert (await only(client, member))["type"] == "private"
        assert_success(await edit(client, member, scheduled_id, **to_channel(channel, "topic")))
        shown = await only(client, member)
        assert (shown["type"], shown["to"], shown["topic"]) == ("stream", channel.id, "topic")
        response = await edit(client, member, scheduled_id, type="direct")
        assert "Missing 'to' argument" in assert_error(response)
        assert_success(await edit(client, member, scheduled_id, type="private", to=[owner.user_id]))
        shown = await only(client, member)
        assert (shown["type"], shown["to"]) == ("private", [owner.user_id])
        assert "topic" not in shown

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"type": "letter"}, "type"),
            ({"to": "general"}, "to"),
            ({"to": [10**9]}, "Invalid user ID: 1000000000"),
            ({"content": ""}, "content: Message must not be empty"),
            ({"content": "x" * 10_001}, "content is too long"),
            ({"content": "a\0b"}, "content must not contain NUL characters"),
            ({"scheduled_delivery_timestamp": 1}, "must be in the future"),
            ({"scheduled_delivery_timestamp": "soon"}, "scheduled_delivery_timestamp"),
        ],
    )
    async def test_error_names_the_invalid_parameter(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        at: int,
        wrong: dict[str, object],
        message: str,
    ) -> None:
        scheduled_id = await schedule(client, member, to_people(owner), at)
        before = await only(client, member)
        listener = await listen(client, member, event_types=["scheduled_messages"])
        assert message in assert_error(await edit(client, member, scheduled_id, **wrong))
        assert await only(client, member) == before
        assert await listener.new_events() == []

    async def test_target_needs_the_permission_to_send(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person, at: int
    ) -> None:
        own = await make_channel(subscribers=[member])
        private = await make_channel(subscribers=[owner], invite_only=True)
        scheduled_id = await schedule(client, member, to_channel(own), at)
        response = await edit(client, member, scheduled_id, to=private.id)
        assert_error(response, "STREAM_DOES_NOT_EXIST", stream_id=private.id)
        assert (await only(client, member))["to"] == own.id


class TestFailed:
    async def test_needs_a_new_time(
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
        scheduled_id = await schedule(client, member, to_channel(channel), at)
        assert_success(await unsubscribe(client, member, "team"))
        clock.advance(hours=1)
        await deliver_due(runtime)
        assert (await only(client, member))["failed"]
        response = await edit(client, member, scheduled_id, **to_people(owner))
        assert "Missing 'scheduled_delivery_timestamp' argument" in assert_error(response)
        response = await edit(client, member, scheduled_id, scheduled_delivery_timestamp=at + 3600)
        assert_error(response, "STREAM_DOES_NOT_EXIST", stream_id=channel.id)
        response = await edit(
            client,
            member,
            scheduled_id,
            **to_people(owner),
            scheduled_delivery_timestamp=at + 3600,
        )
        assert_success(response)
        shown = await only(client, member)
        assert not shown["failed"]
        clock.advance(hours=1)
        await deliver_due(runtime)
        assert await scheduled_of(client, member) == []
