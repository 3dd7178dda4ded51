"""POST /typing: permissions of the sender, and the audience of typing events."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.realm.settings import allow
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.statements import recorded_statements
from tests.support.unsubscribing import unsubscribe

SHOWS_CHANNELS = {"client_capabilities": {"stream_typing_notifications": True}}


async def listen_to_typing(client: ApiClient, person: Person, **params: Any) -> Listener:
    return await listen(client, person, event_types=["typing"], fetch_event_types=[], **params)


async def told(listener: Listener) -> list[dict[str, Any]]:
    events = await listener.new_events()
    return [{key: event[key] for key in event if key != "id"} for event in events]


def shown(person: Person) -> dict[str, Any]:
    return {"user_id": person.user_id, "email": person.email}


async def type_to(
    client: ApiClient, person: Person, *others: Person, op: str = "start"
) -> ApiResponse:
    return await client.post("/typing", person, op=op, to=[other.user_id for other in others])


async def type_in(
    client: ApiClient, person: Person, channel: ChannelRecord, topic: str = "lunch", **params: Any
) -> ApiResponse:
    values = {"op": "start", "type": "channel", "stream_id": channel.id, "topic": topic}
    return await client.post("/typing", person, **{**values, **params})


@pytest.mark.any_database
class TestDirect:
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await client.post("/typing", op="start", to=[1]), "UNAUTHORIZED", 401)

    @pytest.mark.parametrize("op", ["start", "stop"])
    @pytest.mark.parametrize("names_sender", [True, False])
    async def test_is_delivered_to_all_participants(
        self,
        client: ApiClient,
        make_user: MakeUser,
        member: Person,
        op: str,
        names_sender: bool,
    ) -> None:
        friend, other = await make_user(), await make_user()
        listeners = [await listen_to_typing(client, person) for person in (member, friend)]
        outside = await listen_to_typing(client, other)
        recipients = [friend, member] if names_sender else [friend]
        assert assert_success(await type_to(client, member, *recipients, op=op)) == {}
        for listener in listeners:
            assert await told(listener) == [
                {
                    "type": "typing",
                    "op": op,
                    "message_type": "direct",
                    "sender": shown(member),
                    "recipients": sorted(map(shown, (member, friend)), key=lambda p: p["user_id"]),
                }
            ]
        assert await told(outside) == []

    async def test_to_oneself(self, client: ApiClient, member: Person) -> None:
        listener = await listen_to_typing(client, member)
        assert_success(await type_to(client, member, member))
        [event] = await told(listener)
        assert event["recipients"] == [shown(member)]

    async def test_is_not_delivered_to_later_polls(self, client: ApiClient, member: Person) -> None:
        assert_success(await type_to(client, member, member))
        assert await told(await listen_to_typing(client, member)) == []

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"to": None}, "Missing 'to' argument"),
            ({"to": []}, "to: Message must have recipients"),
            ({"to": [4711]}, "Invalid user ID: 4711"),
            ({"to": ["iago@example.com"]}, "to[0] is not an integer"),
            ({"to": 4711}, "to is not a list"),
            ({"to": [1] * 1001}, "to has too many entries (limit: 1000)"),
            ({"to": "iago"}, 'Argument "to" is not valid JSON.'),
            ({"op": "pause"}, "Invalid op; expected 'start' or 'stop'"),
            ({"type": "private"}, "Invalid type; expected 'direct', 'stream' or 'channel'"),
        ],
    )
    async def test_refuses_bad_values(
        self, client: ApiClient, member: Person, params: dict[str, Any], message: str
    ) -> None:
        listener = await listen_to_typing(client, member)
        values = {"op": "start", "to": [member.user_id], **params}
        assert message in assert_error(await client.post("/typing", member, **values))
        assert await told(listener) == []

    async def test_refuses_deactivated_recipients(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person, member: Person
    ) -> None:
        await deactivate(runtime, realm, member)
        assert "deactivated" in assert_error(await type_to(client, admin, member))

    async def test_users_of_other_realms_are_unknown(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        other_realm = await factories.make_realm(runtime, "Other", "other")
        stranger = await factories.make_user(runtime, other_realm)
        at_home = ApiClient(client.http._transport.app, "acme.localhost")  # type: ignore[attr-defined]
        assert "Invalid user ID" in assert_error(await type_to(at_home, member, stranger))
        await at_home.aclose()

    async def test_is_refused_without_the_senders_setting(
        self, client: ApiClient, member: Person
    ) -> None:
        assert_success(
            await client.patch("/settings", member, send_private_typing_notifications=False)
        )
        refusal = assert_error(await type_to(client, member, member))
        assert refusal == "User has disabled typing notifications for direct messages"

    async def test_is_not_delivered_to_users_who_turned_it_off(
        self, client: ApiClient, member: Person, admin: Person
    ) -> None:
        listener = await listen_to_typing(client, admin)
        assert_success(await client.patch("/settings", admin, receives_typing_notifications=False))
        assert_success(await type_to(client, member, admin))
        assert await told(listener) == []

    async def test_needs_the_permission_to_send_direct_messages(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        await allow(client, owner, realm, direct_message_permission_group=SystemGroup.NOBODY)
        assert_error(await type_to(client, member, owner))
        assert_success(await type_to(client, member, member))

    async def test_user_who_may_only_reply_cannot_start_with_typing(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        await allow(client, owner, realm, direct_message_initiator_group=SystemGroup.OWNERS)
        assert "initiate" in assert_error(await type_to(client, member, owner))
        message = {"type": "direct", "to": [member.user_id], "content": "Hello"}
        assert_success(await client.post("/messages", owner, **message))
        assert_success(await type_to(client, member, owner))


@pytest.mark.any_database
class TestChannel:
    @pytest.mark.parametrize("op", ["start", "stop"])
    @pytest.mark.parametrize("type_", ["stream", "channel"])
    async def test_is_delivered_to_subscribers(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        admin: Person,
        member: Person,
        op: str,
        type_: str,
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        inside = await listen_to_typing(client, member, **SHOWS_CHANNELS)
        outside = await listen_to_typing(client, admin, **SHOWS_CHANNELS)
        assert assert_success(await type_in(client, member, channel, op=op, type=type_)) == {}
        assert await told(inside) == [
            {
                "type": "typing",
                "op": op,
                "message_type": "stream",
                "sender": shown(member),
                "stream_id": channel.id,
                "topic": "lunch",
            }
        ]
        assert await told(outside) == []

    async def test_only_to_clients_with_the_capability(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        listener = await listen_to_typing(client, member)
        assert_success(await type_in(client, member, channel))
        assert await told(listener) == []

    async def test_not_to_queues_for_all_public_channels(
        self, client: ApiClient, make_channel: MakeChannel, admin: Person, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        everything = await listen_to_typing(
            client, admin, all_public_streams=True, **SHOWS_CHANNELS
        )
        assert_success(await type_in(client, member, channel))
        assert await told(everything) == []

    async def test_empty_topic_has_several_names(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        older = await listen_to_typing(client, member, **SHOWS_CHANNELS)
        both = {"stream_typing_notifications": True, "empty_topic_name": True}
        newer = await listen_to_typing(client, member, client_capabilities=both)
        assert_success(await type_in(client, member, channel, "(no topic)"))
        assert [event["topic"] for event in await told(older)] == ["general chat"]
        assert [event["topic"] for event in await told(newer)] == [""]

    async def test_recipients_are_ignored(
        self, client: ApiClient, make_channel: MakeChannel, admin: Person, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        listener = await listen_to_typing(client, admin, **SHOWS_CHANNELS)
        assert_success(await type_in(client, member, channel, to=[admin.user_id]))
        assert await told(listener) == []

    @pytest.mark.parametrize("missing", ["stream_id", "topic"])
    async def test_error_names_the_missing_parameter(
        self, client: ApiClient, make_channel: MakeChannel, member: Person, missing: str
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        values = {"op": "start", "type": "stream", "stream_id": channel.id, "topic": "lunch"}
        del values[missing]
        refusal = assert_error(await client.post("/typing", member, **values))
        assert refusal == f"Missing '{missing}' argument"

    async def test_is_refused_without_the_senders_setting(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        assert_success(
            await client.patch("/settings", member, send_stream_typing_notifications=False)
        )
        refusal = assert_error(await type_in(client, member, channel))
        assert refusal == "User has disabled typing notifications for channel messages"

    async def test_private_channels_are_unknown_to_others(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        secret = await make_channel("secret", invite_only=True)
        response = await type_in(client, member, secret)
        assert_error(response, "STREAM_DOES_NOT_EXIST", stream_id=secret.id)
        response = await type_in(client, member, secret, stream_id=4711)
        assert_error(response, "STREAM_DOES_NOT_EXIST", stream_id=4711)

    async def test_former_subscriber_neither_sends_nor_receives(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[owner, member])
        listener = await listen_to_typing(client, member, **SHOWS_CHANNELS)
        assert_success(await type_in(client, owner, secret))
        assert len(await told(listener)) == 1
        await unsubscribe(runtime, realm, member, secret)
        assert_success(await type_in(client, owner, secret))
        assert await told(listener) == []
        assert_error(await type_in(client, member, secret), "STREAM_DOES_NOT_EXIST")

    async def test_guests_only_in_subscribed_channels(
        self, client: ApiClient, make_channel: MakeChannel, guest: Person
    ) -> None:
        channel = await make_channel("general")
        assert_error(await type_in(client, guest, channel), "STREAM_DOES_NOT_EXIST")

    async def test_needs_the_permission_to_send(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        owners = realm.system_groups[SystemGroup.OWNERS]
        channel = await make_channel(
            "news", subscribers=[owner, member], can_send_message_group=owners
        )
        assert "Not authorized" in assert_error(await type_in(client, member, channel))
        assert_success(await type_in(client, owner, channel))

    async def test_not_emitted_in_large_channels(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
    ) -> None:
        people = [owner, *[await make_user(Role.MEMBER) for _ in range(100)]]
        channel = await make_channel("everybody", subscribers=people)
        listener = await listen_to_typing(client, owner, **SHOWS_CHANNELS)
        assert_success(await type_in(client, owner, channel))
        assert await told(listener) == []


class TestCost:
    async def test_nothing_is_written(
        self, client: ApiClient, runtime: Runtime, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        assert_success(await type_in(client, member, channel))
        with recorded_statements(runtime.database, "") as statements:
            assert_success(await type_in(client, member, channel))
            assert_success(await type_to(client, member, member))
        written = [text for text in statements if not text.lstrip().startswith("SELECT")]
        assert written == []

    async def test_typing_in_a_channel_takes_no_statement(
        self, client: ApiClient, runtime: Runtime, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        assert_success(await type_in(client, member, channel))
        with recorded_statements(runtime.database, "") as statements:
            assert_success(await type_in(client, member, channel))
        # Realm clocks are read continuously, and realms once in a while.
        assert [text for text in statements if "realm" not in text] == []
