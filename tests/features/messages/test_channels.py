"""Messages in channels: permissions to send, topics, mentions, and delivery."""

import asyncio
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.roles import Role
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success


async def send(
    client: ApiClient, sender: Person, to: object, topic: str | None = "greetings", **more: object
) -> ApiResponse:
    params: dict[str, object] = {"type": "channel", "to": to, "content": "Hello", **more}
    if topic is not None:
        params["topic"] = topic
    return await client.post("/messages", sender, **params)


async def hear(client: ApiClient, person: Person, **params: object) -> Listener:
    return await listen(client, person, event_types=["message"], **params)


def messages(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event["message"] for event in events]


class TestDelivery:
    @pytest.mark.any_database
    async def test_message_is_delivered_to_subscribers_only(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[owner])
        inside, outside = await hear(client, owner), await hear(client, member)
        sent = assert_success(await send(client, owner, channel.id))
        [message] = messages(await inside.new_events())
        assert message["id"] == sent["id"]
        assert message["type"] == "stream"
        assert message["display_recipient"] == "general"
        assert message["stream_id"] == channel.id
        assert message["subject"] == "greetings"
        assert await outside.new_events() == []

    @pytest.mark.any_database
    async def test_member_can_send_to_public_channel_without_subscribing(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        listener = await hear(client, owner)
        assert_success(await send(client, member, channel.id))
        assert len(await listener.new_events()) == 1

    @pytest.mark.any_database
    async def test_queue_for_all_public_channels_gets_their_messages(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        public = await make_channel()
        private = await make_channel(invite_only=True, subscribers=[owner])
        listener = await hear(client, member, all_public_streams=True)
        for channel in (public, private):
            assert_success(await send(client, owner, channel.id))
        assert [each["stream_id"] for each in messages(await listener.new_events())] == [public.id]

    @pytest.mark.any_database
    async def test_late_poll_gets_messages_of_the_subscription_period_only(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[owner])
        listener = await hear(client, member)
        subscriptions: Any = [{"name": "general"}]
        ids = [assert_success(await send(client, owner, channel.id))["id"]]
        await client.post("/users/me/subscriptions", member, subscriptions=subscriptions)
        ids.append(assert_success(await send(client, owner, channel.id))["id"])
        await client.delete("/users/me/subscriptions", member, subscriptions=["general"])
        ids.append(assert_success(await send(client, owner, channel.id))["id"])
        # Polled only now: each message is judged by the subscribers at the time it was sent.
        assert [each["id"] for each in messages(await listener.new_events())] == [ids[1]]

    async def test_waiting_poll_follows_subscribing_and_unsubscribing(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel("general", subscribers=[owner])
        listener = await hear(client, member)
        waiting = asyncio.create_task(listener.next_events())
        subscriptions: Any = [{"name": "general"}]
        await client.post("/users/me/subscriptions", member, subscriptions=subscriptions)
        sent = assert_success(await send(client, owner, channel.id))
        assert [each["id"] for each in messages(await waiting)] == [sent["id"]]

    async def test_the_order_of_events_is_the_order_of_ids(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        listener = await hear(client, owner)
        responses = await asyncio.gather(
            *(send(client, owner, channel.id, content=str(n)) for n in range(40))
        )
        ids = sorted(assert_success(response)["id"] for response in responses)
        assert [each["id"] for each in messages(await listener.new_events())] == ids


class TestTopics:
    async def test_topics_are_compared_ignoring_case(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        listener = await hear(client, owner)
        for topic in ("Lunch", "lunch", " LUNCH "):
            assert_success(await send(client, owner, channel.id, topic))
        assert {each["subject"] for each in messages(await listener.new_events())} == {"Lunch"}

    @pytest.mark.any_database
    @pytest.mark.parametrize("topic", ["(no topic)", "general chat", " "])
    async def test_the_empty_topic_has_several_names(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, topic: str
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        old = await hear(client, owner)
        new = await hear(client, owner, client_capabilities={"empty_topic_name": True})
        assert_success(await send(client, owner, channel.id, topic))
        [shown_to_old], [shown_to_new] = await old.new_events(), await new.new_events()
        assert shown_to_old["message"]["subject"] == "general chat"
        assert shown_to_new["message"]["subject"] == ""

    @pytest.mark.any_database
    async def test_the_old_name_of_the_parameter_works(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        await make_channel("general", subscribers=[owner])
        listener = await hear(client, owner)
        response = await send(client, owner, "general", None, subject="old", type="stream")
        assert_success(response)
        assert messages(await listener.new_events())[0]["subject"] == "old"

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("policy", "topic", "refused"),
        [
            ("disable_empty_topic", "", True),
            ("disable_empty_topic", "x", False),
            ("allow_empty_topic", "(no topic)", False),
            ("empty_topic_only", "x", True),
            ("empty_topic_only", "(no topic)", False),
            ("empty_topic_only", None, False),
        ],
    )
    async def test_policies(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        policy: str,
        topic: str | None,
        refused: bool,
    ) -> None:
        channel = await make_channel(topics_policy=policy)
        response = await send(client, owner, channel.id, topic)
        if refused:
            assert "topic" in assert_error(response)
        else:
            assert_success(response)

    @pytest.mark.any_database
    async def test_starting_a_topic_needs_the_permission(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        owners = realm.system_groups["role:owners"]
        channel = await make_channel(can_create_topic_group=owners)
        assert "topics" in assert_error(await send(client, member, channel.id, "new"))
        assert_success(await send(client, owner, channel.id, "new"))
        assert_success(await send(client, member, channel.id, "NEW"))

    @pytest.mark.any_database
    async def test_sender_who_starts_a_topic_follows_it(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        listener = await listen(client, owner, event_types=["user_topic"])
        first = assert_success(await send(client, owner, channel.id))
        second = assert_success(await send(client, owner, channel.id))
        assert first["automatic_new_visibility_policy"] == 3
        assert "automatic_new_visibility_policy" not in second
        [event] = await listener.new_events()
        assert (event["topic_name"], event["visibility_policy"]) == ("greetings", 3)


@pytest.mark.any_database
class TestRefusals:
    async def test_unknown_channels(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        hidden = await make_channel("hidden", invite_only=True)
        for to, extra in (
            ("nowhere", {"stream": "nowhere"}),
            (999_999, {"stream_id": 999_999}),
            ("hidden", {"stream": "hidden"}),
            (hidden.id, {"stream_id": hidden.id}),
        ):
            refusal = await send(client, member, to)
            assert_error(refusal, "STREAM_DOES_NOT_EXIST", 400, **extra)

    async def test_guests_who_are_not_subscribed(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser
    ) -> None:
        guest = await make_user(Role.GUEST)
        outside, inside = await make_channel(), await make_channel(subscribers=[guest])
        assert_error(await send(client, guest, outside.id), "STREAM_DOES_NOT_EXIST")
        assert_success(await send(client, guest, inside.id))

    async def test_users_without_the_permission_to_send(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        admins = realm.system_groups["role:administrators"]
        channel = await make_channel("news", can_send_message_group=admins, subscribers=[member])
        assert "news" in assert_error(await send(client, member, channel.id))
        assert_success(await send(client, owner, channel.id))

    async def test_archived_channels(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel("old")
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert "old" in assert_error(await send(client, owner, channel.id))

    @pytest.mark.parametrize(
        ("change", "named"),
        [
            ({"topic": "x" * 61}, "topic"),
            ({"topic": "a\nb"}, "topic"),
            ({"to": ["a", "b"]}, "to"),
            ({"to": str(2**70)}, "to"),
            ({"to": 1.5}, "to"),
        ],
    )
    async def test_bad_input(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        change: dict[str, object],
        named: str,
    ) -> None:
        channel = await make_channel()
        params = {"to": channel.id, "topic": "greetings", **change}
        refusal = await client.post("/messages", owner, type="channel", content="Hello", **params)
        assert named in assert_error(refusal)

    async def test_messages_without_topic(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel()
        assert "topic" in assert_error(await send(client, owner, channel.id, None))


class TestBots:
    @pytest.mark.any_database
    async def test_bot_sends_to_channels_of_its_owner(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
    ) -> None:
        bot = await make_user(bot_owner=owner)
        inside = await make_channel(invite_only=True, subscribers=[owner])
        other = await make_user()
        outside = await make_channel(invite_only=True, subscribers=[other])
        await client.delete("/users/me/subscriptions", owner, subscriptions=[outside.name])
        assert_success(await send(client, bot, inside.id))
        assert_error(await send(client, bot, outside.id), "STREAM_DOES_NOT_EXIST")


@pytest.mark.any_database
class TestMentions:
    async def test_mentioned_users_and_groups_are_flagged(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
    ) -> None:
        alice, bob, carol = [await make_user(full_name=name) for name in ("Alice", "Bob", "Carol")]
        group = await client.post(
            "/user_groups/create", owner, name="crew", description="", members=[bob.user_id]
        )
        assert_success(group)
        channel = await make_channel(subscribers=[alice, bob, carol])
        ears = [await hear(client, person) for person in (alice, bob, carol)]
        text = "@**alice** and @*crew*, but not @_**Carol**"
        assert_success(await send(client, owner, channel.id, content=text))
        flags = [(await listener.new_events())[0]["flags"] for listener in ears]
        assert flags == [["mentioned"], ["mentioned"], []]

    async def test_channel_mention_needs_the_permission(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
    ) -> None:
        people = [await make_user() for _ in range(16)]
        small = await make_channel(subscribers=people[:15])
        large = await make_channel(subscribers=people)
        listener = await hear(client, people[0])
        call = {"content": "@**all** hello"}
        assert_success(await send(client, people[0], small.id, **call))
        refusal = await send(client, people[0], large.id, **call)
        assert_error(refusal, "STREAM_WILDCARD_MENTION_NOT_ALLOWED")
        assert_success(await send(client, owner, large.id, **call))
        flags = [event["flags"] for event in await listener.new_events()]
        assert flags == [["stream_wildcard_mentioned"]] * 2

    async def test_topic_mention_needs_the_permission(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, owner: Person
    ) -> None:
        people = [await make_user() for _ in range(17)]
        channel = await make_channel(subscribers=people)
        for person in people[:15]:
            assert_success(await send(client, person, channel.id))
        spoke, silent = await hear(client, people[0]), await hear(client, people[16])
        call = {"content": "@**topic** hello"}
        assert_success(await send(client, people[15], channel.id, **call))
        assert (await spoke.new_events())[0]["flags"] == ["topic_wildcard_mentioned"]
        assert (await silent.new_events())[0]["flags"] == []
        refusal = await send(client, people[0], channel.id, **call)
        assert_error(refusal, "TOPIC_WILDCARD_MENTION_NOT_ALLOWED")
        assert_success(await send(client, owner, channel.id, **call))

    async def test_hidden_channel_is_not_linked(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        await make_channel("hidden", invite_only=True)
        open_channel = await make_channel("open", subscribers=[member])
        listener = await hear(client, member, apply_markdown=True)
        text = "#**hidden** #**open**"
        assert_success(await send(client, member, open_channel.id, content=text))
        content = messages(await listener.new_events())[0]["content"]
        assert "#<strong>hidden</strong>" in content
        assert f'data-stream-id="{open_channel.id}"' in content


class TestReadBySender:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("agent", "choice", "flags"),
        [
            ("ZulipTerminal/0.7", None, ["read"]),
            ("ZulipPython/0.9", None, []),
            ("ZulipPython/0.9", True, ["read"]),
            ("ZulipTerminal/0.7", False, []),
        ],
    )
    async def test_depends_on_user_agent_and_parameter(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        agent: str,
        choice: bool | None,
        flags: list[str],
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        listener = await hear(client, owner)
        client.http.headers["User-Agent"] = agent
        chosen: dict[str, Any] = {} if choice is None else {"read_by_sender": choice}
        assert_success(await send(client, owner, channel.id, **chosen))
        [event] = await listener.new_events()
        assert event["flags"] == flags
        assert event["message"]["client"] == agent.partition("/")[0]
