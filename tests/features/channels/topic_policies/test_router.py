"""POST /user_topics, its older equivalent, and topic policies in POST /register."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ChannelId
from tests import factories
from tests.factories import MakeChannel, Person
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.unsubscribing import unsubscribe

KNOWS_EMPTY = {"client_capabilities": {"empty_topic_name": True}}
MUTED_TOPICS = "/users/me/subscriptions/muted_topics"


@pytest.fixture
async def general(make_channel: MakeChannel, member: Person) -> ChannelId:
    return (await make_channel("general", subscribers=[member])).id


async def choose(
    client: ApiClient, person: Person, channel_id: int, topic: str, policy: object
) -> ApiResponse:
    return await client.post(
        "/user_topics", person, stream_id=channel_id, topic=topic, visibility_policy=policy
    )


async def listen_to_topics(client: ApiClient, person: Person, **params: Any) -> Listener:
    return await listen(client, person, event_types=["user_topic"], **params)


async def known_topics(client: ApiClient, person: Person, **params: Any) -> list[dict[str, Any]]:
    listener = await listen(client, person, fetch_event_types=["user_topic"], **params)
    topics: list[dict[str, Any]] = listener.state["user_topics"]
    return topics


async def muted_topics(client: ApiClient, person: Person, **params: Any) -> list[list[Any]]:
    listener = await listen(client, person, fetch_event_types=["muted_topics"], **params)
    topics: list[list[Any]] = listener.state["muted_topics"]
    return topics


class TestChoose:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        response = await client.post("/user_topics", stream_id=1, topic="a", visibility_policy=1)
        assert_error(response, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    @pytest.mark.parametrize("policy", [1, 2, 3])
    async def test_event_is_sent_to_the_caller_only(
        self,
        client: ApiClient,
        clock: MovableClock,
        owner: Person,
        member: Person,
        general: ChannelId,
        policy: int,
    ) -> None:
        listener, other = await listen_to_topics(client, member), await listen(client, owner)
        assert assert_success(await choose(client, member, general, "Lunch", policy)) == {}
        [event] = await listener.new_events()
        chosen = {
            "stream_id": general,
            "topic_name": "Lunch",
            "last_updated": int(clock.now().timestamp()),
            "visibility_policy": policy,
        }
        assert event == {"id": event["id"], "type": "user_topic", **chosen}
        assert await other.new_events() == []
        assert await known_topics(client, member) == [chosen]
        assert await known_topics(client, owner) == []

    @pytest.mark.any_database
    async def test_clears(self, client: ApiClient, member: Person, general: ChannelId) -> None:
        assert_success(await choose(client, member, general, "lunch", 3))
        listener = await listen_to_topics(client, member)
        assert_success(await choose(client, member, general, "lunch", 0))
        [event] = await listener.new_events()
        assert event["visibility_policy"] == 0
        assert await known_topics(client, member) == []

    async def test_topics_differ_in_more_than_case(
        self, client: ApiClient, member: Person, general: ChannelId
    ) -> None:
        assert_success(await choose(client, member, general, "Lunch", 1))
        assert_success(await choose(client, member, general, "LUNCH", 3))
        [topic] = await known_topics(client, member)
        assert (topic["topic_name"], topic["visibility_policy"]) == ("LUNCH", 3)

    @pytest.mark.any_database
    @pytest.mark.parametrize("policy", [0, 1])
    async def test_unchanged_policy_emits_no_event(
        self,
        client: ApiClient,
        clock: MovableClock,
        member: Person,
        general: ChannelId,
        policy: int,
    ) -> None:
        assert_success(await choose(client, member, general, "lunch", policy))
        before = await known_topics(client, member)
        listener = await listen(client, member)
        clock.advance(minutes=1)
        assert_success(await choose(client, member, general, "lunch", policy))
        assert await listener.new_events() == []
        assert await known_topics(client, member) == before

    @pytest.mark.any_database
    @pytest.mark.parametrize("name", ["", "  ", "(no topic)", "general chat"])
    async def test_empty_topic_has_several_names(
        self, client: ApiClient, member: Person, general: ChannelId, name: str
    ) -> None:
        newer = await listen_to_topics(client, member, **KNOWS_EMPTY)
        older = await listen_to_topics(client, member)
        assert_success(await choose(client, member, general, name, 3))
        assert [event["topic_name"] for event in await newer.new_events()] == [""]
        assert [event["topic_name"] for event in await older.new_events()] == ["general chat"]
        [topic] = await known_topics(client, member, **KNOWS_EMPTY)
        assert topic["topic_name"] == ""
        [topic] = await known_topics(client, member)
        assert topic["topic_name"] == "general chat"

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"visibility_policy": 4}, "Invalid visibility_policy; expected 0, 1, 2 or 3"),
            ({"visibility_policy": "mute"}, 'Argument "visibility_policy" is not valid JSON.'),
            ({"stream_id": "general"}, 'Argument "stream_id" is not valid JSON.'),
            ({"stream_id": -1}, "stream_id is too small"),
            ({"stream_id": 2**63}, "stream_id is too large"),
            ({"stream_id": 4711}, "Invalid channel ID"),
            ({"topic": " " + "x" * 61}, "topic is too long (limit: 60 characters)"),
            ({"topic": "a\0b"}, "topic must not contain NUL characters"),
        ],
    )
    async def test_refuses_bad_values(
        self,
        client: ApiClient,
        member: Person,
        general: ChannelId,
        params: dict[str, Any],
        message: str,
    ) -> None:
        values = {"stream_id": general, "topic": "lunch", "visibility_policy": 1, **params}
        assert message in assert_error(await client.post("/user_topics", member, **values))
        assert await known_topics(client, member) == []


@pytest.mark.any_database
class TestAccess:
    async def test_private_channels_are_unknown_to_others(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        secret = (await make_channel("secret", invite_only=True)).id
        refused = await choose(client, member, secret, "plans", 1)
        unknown = await choose(client, member, 4711, "plans", 1)
        assert refused.body == unknown.body
        by_name = {"stream": "secret", "topic": "plans", "op": "add"}
        refusal = assert_error(await client.patch(MUTED_TOPICS, member, **by_name))
        assert refusal == "Invalid channel name 'secret'"

    async def test_members_may_set_policies_in_unsubscribed_public_channels(
        self, client: ApiClient, owner: Person, general: ChannelId
    ) -> None:
        assert_success(await choose(client, owner, general, "lunch", 1))
        assert len(await known_topics(client, owner)) == 1
        assert len(await muted_topics(client, owner)) == 1

    async def test_guests_may_not_in_unsubscribed_channels(
        self, client: ApiClient, guest: Person, general: ChannelId
    ) -> None:
        refusal = assert_error(await choose(client, guest, general, "lunch", 1))
        assert refusal == "Invalid channel ID"

    async def test_former_subscriber_of_a_private_channel_has_no_access(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[member])
        assert_success(await choose(client, member, secret.id, "plans", 1))
        assert len(await known_topics(client, member)) == 1
        await unsubscribe(runtime, realm, member, secret)
        assert_error(await choose(client, member, secret.id, "plans", 0))
        assert await known_topics(client, member) == []
        assert await muted_topics(client, member) == []

    async def test_guest_who_unsubscribed_from_any_channel_has_no_access(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        guest: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("general", subscribers=[guest])
        assert_success(await choose(client, guest, channel.id, "plans", 1))
        assert len(await muted_topics(client, guest)) == 1
        await unsubscribe(runtime, realm, guest, channel)
        assert await known_topics(client, guest) == []
        assert await muted_topics(client, guest) == []

    async def test_channels_of_other_realms_are_unknown(
        self, client: ApiClient, runtime: Runtime, general: ChannelId
    ) -> None:
        other_realm = await factories.make_realm(runtime, "Other", "other")
        stranger = await factories.make_user(runtime, other_realm)
        elsewhere = ApiClient(client.http._transport.app, "other.localhost")  # type: ignore[attr-defined]
        assert_error(await choose(elsewhere, stranger, general, "lunch", 1))
        await elsewhere.aclose()


@pytest.mark.any_database
class TestMute:
    @pytest.mark.parametrize("by", ["id", "name"])
    async def test_mutes_and_unmutes(
        self,
        client: ApiClient,
        clock: MovableClock,
        member: Person,
        general: ChannelId,
        by: str,
    ) -> None:
        channel: dict[str, object] = {"stream_id": general} if by == "id" else {"stream": "GENERAL"}
        listener = await listen(client, member, event_types=["muted_topics"])
        response = await client.patch(MUTED_TOPICS, member, **channel, topic="lunch", op="add")
        assert assert_success(response) == {}
        muted_at = int(clock.now().timestamp())
        [event] = await listener.new_events()
        assert event["muted_topics"] == [["general", "lunch", muted_at]]
        assert await muted_topics(client, member) == [["general", "lunch", muted_at]]
        assert_success(
            await client.patch(MUTED_TOPICS, member, **channel, topic="Lunch", op="remove")
        )
        [event] = await listener.new_events()
        assert event["muted_topics"] == []
        assert await muted_topics(client, member) == []

    @pytest.mark.parametrize(("policy", "op"), [(1, "add"), (0, "remove"), (3, "remove")])
    async def test_repeated_mute_and_unmute_are_no_errors(
        self, client: ApiClient, member: Person, general: ChannelId, policy: int, op: str
    ) -> None:
        assert_success(await choose(client, member, general, "lunch", policy))
        before = await known_topics(client, member)
        listener = await listen(client, member)
        assert_success(
            await client.patch(MUTED_TOPICS, member, stream_id=general, topic="lunch", op=op)
        )
        assert await listener.new_events() == []
        assert await known_topics(client, member) == before

    async def test_needs_exactly_one_channel(
        self, client: ApiClient, member: Person, general: ChannelId
    ) -> None:
        message = "Pass exactly one of 'stream_id' and 'stream'"
        topic = {"topic": "lunch", "op": "add"}
        assert assert_error(await client.patch(MUTED_TOPICS, member, **topic)) == message
        both = {"stream_id": general, "stream": "general"}
        assert assert_error(await client.patch(MUTED_TOPICS, member, **both, **topic)) == message

    async def test_refuses_other_operations(
        self, client: ApiClient, member: Person, general: ChannelId
    ) -> None:
        values = {"stream_id": general, "topic": "lunch", "op": "toggle"}
        refusal = assert_error(await client.patch(MUTED_TOPICS, member, **values))
        assert refusal == "Invalid op; expected 'add' or 'remove'"

    async def test_empty_topic_has_a_name_for_older_clients(
        self, client: ApiClient, member: Person, general: ChannelId
    ) -> None:
        newer = await listen(client, member, event_types=["muted_topics"], **KNOWS_EMPTY)
        older = await listen(client, member, event_types=["muted_topics"])
        assert_success(await choose(client, member, general, "", 1))
        assert (await newer.new_events())[0]["muted_topics"][0][1] == ""
        assert (await older.new_events())[0]["muted_topics"][0][1] == "general chat"
        assert (await muted_topics(client, member, **KNOWS_EMPTY))[0][1] == ""
        assert (await muted_topics(client, member))[0][1] == "general chat"


@pytest.mark.any_database
class TestOlderClients:
    async def test_get_events_about_muting_only(
        self, client: ApiClient, member: Person, general: ChannelId
    ) -> None:
        listener = await listen(client, member, event_types=["muted_topics"])
        assert_success(await choose(client, member, general, "lunch", 3))
        assert await listener.new_events() == []
        assert_success(await choose(client, member, general, "lunch", 1))
        assert_success(await choose(client, member, general, "lunch", 2))
        assert [len(event["muted_topics"]) for event in await listener.new_events()] == [1, 0]

    @pytest.mark.parametrize(
        ("wanted", "told"),
        [
            (["muted_topics", "user_topic"], ["user_topic"]),
            (["muted_topics"], ["muted_topics"]),
            (None, ["muted_topics", "user_topic"]),
        ],
    )
    async def test_clients_of_both_event_types_get_one_event(
        self,
        client: ApiClient,
        member: Person,
        general: ChannelId,
        wanted: list[str] | None,
        told: list[str],
    ) -> None:
        params = {} if wanted is None else {"event_types": wanted}
        listener = await listen(client, member, **params)
        assert_success(await choose(client, member, general, "lunch", 1))
        assert sorted(event["type"] for event in await listener.new_events()) == told
