"""GET, POST and DELETE /scheduled_messages."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import ScheduledMessage
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import unnamed
from tests.features.messages.fetch.conversations import ids_read
from tests.features.messages.scheduled.scheduling import (
    SCHEDULED,
    schedule,
    scheduled_of,
    seconds_from_now,
    to_channel,
    to_people,
    try_to_schedule,
)
from tests.features.realm.settings import allow
from tests.support.added_rows import copy_only_row
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


@pytest.mark.any_database
class TestSchedule:
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person, at: int) -> None:
        assert_error(await client.get(SCHEDULED), "UNAUTHORIZED", 401)
        message = {**to_people(member), "content": "Hi", "scheduled_delivery_timestamp": at}
        unknown = await client.post(SCHEDULED, None, **message)
        assert_error(unknown, "UNAUTHORIZED", 401)
        assert_error(await client.delete(f"{SCHEDULED}/1"), "UNAUTHORIZED", 401)

    async def test_a_message_to_a_channel(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        listener = await listen(client, member)
        outside = await listen(client, owner, event_types=["scheduled_messages", "message"])
        assert listener.state["scheduled_messages"] == []
        scheduled_id = await schedule(
            client, member, to_channel(channel), at, content="**Good** morning  "
        )
        expected = {
            "scheduled_message_id": scheduled_id,
            "type": "stream",
            "to": channel.id,
            "topic": "greetings",
            "content": "**Good** morning",
            "rendered_content": "<p><strong>Good</strong> morning</p>",
            "scheduled_delivery_timestamp": at,
            "failed": False,
        }
        assert await scheduled_of(client, member) == [expected]
        [event] = await listener.new_events()
        assert (event["type"], event["op"]) == ("scheduled_messages", "add")
        assert event["scheduled_messages"] == [expected]
        assert (await listen(client, member)).state["scheduled_messages"] == [expected]
        assert await scheduled_of(client, owner) == []
        assert await outside.new_events() == []
        assert await ids_read(client, member) == []

    async def test_a_direct_message(
        self, client: ApiClient, owner: Person, member: Person, at: int
    ) -> None:
        everybody = to_people(owner, member)
        both = await schedule(client, member, everybody, at, topic="ignored")
        alone = await schedule(client, member, {**to_people(member), "type": "private"}, at + 1)
        shown = await scheduled_of(client, member)
        assert [(each["scheduled_message_id"], each["type"], each["to"]) for each in shown] == [
            (both, "private", [owner.user_id]),
            (alone, "private", [member.user_id]),
        ]
        assert not any("topic" in each for each in shown)

    async def test_are_listed_by_time(self, client: ApiClient, member: Person, at: int) -> None:
        times = [at + 2, at, at + 1]
        ids = [await schedule(client, member, to_people(member), time) for time in times]
        shown = await scheduled_of(client, member)
        assert [each["scheduled_message_id"] for each in shown] == [ids[1], ids[2], ids[0]]

    async def test_repeated_request_schedules_once(
        self, client: ApiClient, member: Person, at: int
    ) -> None:
        form = {
            "type": "direct",
            "to": f"[{member.user_id}]",
            "content": "Hi",
            "scheduled_delivery_timestamp": str(at),
        }
        responses = [
            await client.call(
                "POST", SCHEDULED, member, data=form, headers={"Idempotency-Key": "one"}
            )
            for _ in range(2)
        ]
        assert responses[0]["scheduled_message_id"] == responses[1]["scheduled_message_id"]
        assert len(await scheduled_of(client, member)) == 1

    @pytest.mark.parametrize("late", [0, -1, -(10**6)])
    async def test_not_in_the_past(
        self, client: ApiClient, clock: MovableClock, member: Person, late: int
    ) -> None:
        response = await try_to_schedule(
            client, member, to_people(member), seconds_from_now(clock, late)
        )
        assert assert_error(response) == "scheduled_delivery_timestamp must be in the future"
        assert await scheduled_of(client, member) == []

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"type": "letter"}, "type"),
            ({"type": None}, "type"),
            ({"to": "general"}, "to"),
            ({"to": ["iago@example.com"]}, "to"),
            ({"to": []}, "to"),
            ({"to": -1}, "to"),
            ({"to": [1] * 1001}, "to"),
            ({"content": "x" * 10_001}, "content is too long (limit: 10000 characters)"),
            ({"content": " \n"}, "content: Message must not be empty"),
            ({"content": "a\0b"}, "content must not contain NUL characters"),
            ({"topic": "a\0b"}, "topic must not contain NUL characters"),
            ({"topic": "x" * 61}, "topic is too long (limit: 60 characters)"),
            ({"scheduled_delivery_timestamp": "tomorrow"}, "scheduled_delivery_timestamp"),
            ({"scheduled_delivery_timestamp": 1.5}, "scheduled_delivery_timestamp"),
            ({"scheduled_delivery_timestamp": True}, "scheduled_delivery_timestamp"),
            ({"scheduled_delivery_timestamp": 10**12}, "scheduled_delivery_timestamp"),
            ({"scheduled_delivery_timestamp": "1" + "0" * 30}, "scheduled_delivery_timestamp"),
            ({"scheduled_delivery_timestamp": None}, "scheduled_delivery_timestamp"),
            ({"read_by_sender": "perhaps"}, "read_by_sender"),
        ],
    )
    async def test_error_names_the_invalid_parameter(
        self, client: ApiClient, member: Person, at: int, wrong: dict[str, object], message: str
    ) -> None:
        response = await try_to_schedule(client, member, to_people(member), at, **wrong)
        assert message in assert_error(response)
        assert await scheduled_of(client, member) == []

    @pytest.mark.parametrize("missing", ["type", "to", "content", "scheduled_delivery_timestamp"])
    async def test_missing_parameters(
        self, client: ApiClient, member: Person, at: int, missing: str
    ) -> None:
        message = {**to_people(member), "content": "Hi", "scheduled_delivery_timestamp": at}
        del message[missing]
        response = await client.post(SCHEDULED, member, **message)
        assert assert_error(response) == f"Missing '{missing}' argument"

    async def test_unknown_and_hidden_targets_are_refused(
        self,
        client: ApiClient,
        runtime: Runtime,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        private = await make_channel(subscribers=[owner], invite_only=True)
        elsewhere = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, elsewhere)
        client.http.base_url = "http://acme.localhost"
        for channel_id in (private.id, 10**9):
            response = await try_to_schedule(
                client, member, {"type": "stream", "to": channel_id, "topic": "x"}, at
            )
            assert_error(response, "STREAM_DOES_NOT_EXIST", stream_id=channel_id)
        response = await try_to_schedule(client, member, to_people(stranger), at)
        assert assert_error(response) == f"Invalid user ID: {stranger.user_id}"
        assert await scheduled_of(client, member) == []

    async def test_a_channel_needs_a_topic(
        self, client: ApiClient, make_channel: MakeChannel, member: Person, at: int
    ) -> None:
        channel = await make_channel(subscribers=[member])
        response = await try_to_schedule(client, member, {"type": "channel", "to": channel.id}, at)
        assert assert_error(response) == "Missing 'topic' argument"
        await schedule(client, member, to_channel(channel, "(no topic)"), at)
        assert [each["topic"] for each in await scheduled_of(client, member)] == [""]

    async def test_message_the_sender_could_not_send_now_is_refused(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        quiet = await make_channel("quiet", subscribers=[member], can_send_message_group=unnamed())
        response = await try_to_schedule(client, member, to_channel(quiet), at)
        assert assert_error(response) == "Not authorized to send to channel 'quiet'"
        closed = await make_channel(
            "closed", subscribers=[member], can_create_topic_group=unnamed()
        )
        response = await try_to_schedule(client, member, to_channel(closed), at)
        assert "permission to start new topics in closed" in assert_error(response)
        await allow(client, owner, realm, direct_message_initiator_group=SystemGroup.NOBODY)
        response = await try_to_schedule(client, member, to_people(owner), at)
        assert "permission to initiate direct message" in assert_error(response)
        assert await scheduled_of(client, member) == []

    async def test_no_mass_mentions(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        member: Person,
        at: int,
    ) -> None:
        crowd = [await make_user() for _ in range(16)]
        channel = await make_channel(subscribers=[member, *crowd])
        await allow(client, owner, realm, can_mention_many_users_group=SystemGroup.ADMINISTRATORS)
        response = await try_to_schedule(
            client, member, to_channel(channel), at, content="@**all** hello"
        )
        assert_error(response, "STREAM_WILDCARD_MENTION_NOT_ALLOWED")

    @pytest.mark.slow
    async def test_number_is_limited(
        self, client: ApiClient, runtime: Runtime, member: Person, at: int
    ) -> None:
        await schedule(client, member, to_people(member), at)
        await copy_only_row(runtime, ScheduledMessage, copies=498)
        await schedule(client, member, to_people(member), at)
        response = await try_to_schedule(client, member, to_people(member), at)
        assert assert_error(response) == "Too many scheduled messages (maximum 500)"

    async def test_reports_ignored_parameters(
        self, client: ApiClient, member: Person, at: int
    ) -> None:
        response = await try_to_schedule(client, member, to_people(member), at, colour="red")
        assert assert_success(response)["ignored_parameters_unsupported"] == ["colour"]


class TestRemove:
    async def test_own_message(
        self, client: ApiClient, owner: Person, member: Person, at: int
    ) -> None:
        scheduled_id = await schedule(client, member, to_people(owner), at)
        listener = await listen(client, member, event_types=["scheduled_messages"])
        assert_success(await client.delete(f"{SCHEDULED}/{scheduled_id}", member))
        assert await scheduled_of(client, member) == []
        [event] = await listener.new_events()
        assert (event["op"], event["scheduled_message_id"]) == ("remove", scheduled_id)
        again = await client.delete(f"{SCHEDULED}/{scheduled_id}", member)
        assert assert_error(again, status=400) == "Scheduled message does not exist"

    async def test_messages_of_others_are_unknown(
        self, client: ApiClient, owner: Person, member: Person, at: int
    ) -> None:
        scheduled_id = await schedule(client, member, to_people(owner), at)
        for unknown in (scheduled_id, 10**18):
            response = await client.delete(f"{SCHEDULED}/{unknown}", owner)
            assert assert_error(response, status=400) == "Scheduled message does not exist"
        assert len(await scheduled_of(client, member)) == 1
