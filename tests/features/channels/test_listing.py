"""GET /streams, /streams/{stream_id}, /get_stream_id and the topics of a channel."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import (
    channel_of,
    names_seen_by,
    subscribe,
    told,
    unnamed,
    unsubscribe,
)
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


async def send(client: ApiClient, person: Person, channel_id: int, topic: str) -> int:
    message = {"type": "stream", "to": channel_id, "topic": topic, "content": "Hello"}
    return int(assert_success(await client.post("/messages", person, **message))["id"])


async def topics_seen_by(
    client: ApiClient, person: Person | None, channel_id: int, **params: object
) -> list[tuple[str, int]]:
    response = await client.get(f"/users/me/{channel_id}/topics", person, **params)
    return [(topic["name"], topic["max_id"]) for topic in assert_success(response)["topics"]]


@pytest.mark.any_database
class TestFilters:
    @pytest.fixture(autouse=True)
    async def channels(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        await change_realm(client, owner, enable_spectator_access=True)
        await make_channel("public")
        await make_channel("web", is_web_public=True)
        await make_channel("inside", invite_only=True, subscribers=[member])
        await make_channel("named", invite_only=True, can_subscribe_group=unnamed([member]))
        await make_channel("secret", invite_only=True)

    @pytest.mark.parametrize(
        ("params", "names"),
        [
            ({}, {"public", "web", "inside"}),
            ({"include_public": False}, {"inside"}),
            ({"include_public": False, "include_web_public": True}, {"web", "inside"}),
            ({"include_public": False, "include_subscribed": False}, set()),
            ({"include_can_access_content": True}, {"public", "web", "inside", "named"}),
            ({"include_all": True}, {"public", "web", "inside", "named"}),
            ({"include_all_active": True}, {"public", "web", "inside", "named"}),
        ],
    )
    async def test_of_a_member(
        self, client: ApiClient, member: Person, params: dict[str, object], names: set[str]
    ) -> None:
        assert await names_seen_by(client, member, **params) == names

    async def test_guests_see_subscribed_and_web_public_channels(
        self, client: ApiClient, guest: Person
    ) -> None:
        assert await names_seen_by(client, guest, include_all=True) == {"web"}

    async def test_administrators_see_all_channels_and_can_read_some(
        self, client: ApiClient, admin: Person
    ) -> None:
        everything = {"public", "web", "inside", "named", "secret"}
        assert await names_seen_by(client, admin, include_all=True) == everything
        readable = {"include_can_access_content": True}
        assert await names_seen_by(client, admin, **readable) == {"public", "web"}

    async def test_bots_can_list_channels_of_their_owner(
        self, client: ApiClient, owner: Person, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        bot = await make_user(bot_owner=owner)
        await make_channel("ours", subscribers=[owner])
        params = {"include_public": False, "include_owner_subscribed": True}
        assert await names_seen_by(client, bot, **params) == {"ours"}


@pytest.mark.any_database
class TestOne:
    async def test_looks_the_same_in_every_read(
        self, client: ApiClient, realm: RealmRecord, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general", is_default_stream=True)
        shown = await channel_of(client, member, channel)
        (listed,) = assert_success(await client.get("/streams", member, include_default=True))[
            "streams"
        ]
        assert listed == {**shown, "is_default": True}
        state = (await listen(client, member)).state
        assert state["streams"] == state["never_subscribed"] == [shown]
        assert state["realm_default_streams"] == [channel.id]
        assert state["realm_default_stream_groups"] == []
        nobody = realm.system_groups[SystemGroup.NOBODY]
        assert shown["can_add_subscribers_group"] == nobody
        assert shown["first_message_id"] is None
        assert shown["is_recently_active"] is True
        assert (shown["stream_post_policy"], shown["is_announcement_only"]) == (1, False)

    async def test_messages_make_it_recently_active(
        self, client: ApiClient, clock: MovableClock, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(subscribers=[member])
        clock.advance(days=200)
        assert (await channel_of(client, member, channel))["is_recently_active"] is False
        first = await send(client, member, channel.id, "news")
        await send(client, member, channel.id, "news")
        shown = await channel_of(client, member, channel)
        assert shown["first_message_id"] == first
        assert shown["is_recently_active"] is True

    async def test_id_is_looked_up_by_name(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("General")
        await make_channel("secret", invite_only=True)
        response = assert_success(await client.get("/get_stream_id", member, stream="general"))
        assert response == {"stream_id": channel.id}
        for name in ("secret", "nothing"):
            message = assert_error(await client.get("/get_stream_id", member, stream=name))
            assert message == f"Invalid channel name '{name}'"


class TestTopics:
    async def test_newest_topics_come_first(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(subscribers=[member])
        await send(client, member, channel.id, "lunch")
        nameless = await send(client, member, channel.id, "")
        lunch = await send(client, member, channel.id, "lunch")
        topics = await topics_seen_by(client, member, channel.id)
        assert topics == [("lunch", lunch), ("general chat", nameless)]
        exact = await topics_seen_by(client, member, channel.id, allow_empty_topic_name=True)
        assert exact == [("lunch", lunch), ("", nameless)]

    async def test_protected_history_shows_topics_of_subscription_periods_only(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("secret", invite_only=True, subscribers=[owner])
        await send(client, owner, channel.id, "before")
        people = {"principals": [member.user_id]}
        assert_success(await subscribe(client, owner, "secret", **people))
        during = await send(client, owner, channel.id, "during")
        assert_success(await unsubscribe(client, member, "secret"))
        await send(client, owner, channel.id, "during")
        await send(client, owner, channel.id, "between")
        assert_success(await subscribe(client, owner, "secret", **people))
        assert await topics_seen_by(client, member, channel.id) == [("during", during)]
        after = await send(client, owner, channel.id, "after")
        topics = await topics_seen_by(client, member, channel.id)
        assert topics == [("after", after), ("during", during)]
        assert len(await topics_seen_by(client, owner, channel.id)) == 4

    @pytest.mark.any_database
    async def test_anonymous_readers_see_topics_of_web_public_channels(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        await change_realm(client, owner, enable_spectator_access=True)
        web = await make_channel(is_web_public=True, subscribers=[owner])
        public = await make_channel(subscribers=[owner])
        last = await send(client, owner, web.id, "open")
        assert await topics_seen_by(client, None, web.id) == [("open", last)]
        response = await client.get(f"/users/me/{public.id}/topics")
        assert_error(response, "UNAUTHORIZED", 401)
        await change_realm(client, owner, enable_spectator_access=False)
        response = await client.get(f"/users/me/{web.id}/topics")
        assert_error(response, "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestDefaults:
    async def test_administrators_set_default_channels(
        self,
        client: ApiClient,
        admin: Person,
        member: Person,
        guest: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("general")
        listener, as_guest = await listen(client, member), await listen(client, guest)
        params = {"stream_id": channel.id}
        assert_success(await client.post("/default_streams", admin, **params))
        assert_success(await client.post("/default_streams", admin, **params))
        newcomer = await make_user()
        assert_success(await client.delete("/default_streams", admin, **params))
        late = await make_user()
        assert await told(listener, "default_streams") == [
            {"type": "default_streams", "default_streams": [channel.id]},
            {"type": "default_streams", "default_streams": []},
        ]
        assert await told(as_guest) == []
        for person, ids in ((newcomer, [channel.id]), (late, [])):
            response = assert_success(await client.get(f"/users/{person.user_id}/channels", admin))
            assert response["subscribed_channel_ids"] == ids

    async def test_private_channels_cannot_be_default_channels(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(invite_only=True)
        response = await client.post("/default_streams", owner, stream_id=channel.id)
        assert "private" in assert_error(response)


class TestCreate:
    @pytest.mark.any_database
    async def test_creates_a_channel_with_its_first_subscribers(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        response = await client.post(
            "/channels/create", member, name="new", subscribers=[guest.user_id], description="x"
        )
        channel_id = assert_success(response)["id"]
        stream = assert_success(await client.get(f"/streams/{channel_id}", member))["stream"]
        assert (stream["name"], stream["subscriber_count"]) == ("new", 1)
        again = await client.post("/channels/create", member, name="NEW", subscribers=[])
        assert_error(again, "CHANNEL_ALREADY_EXISTS", 409, channel_name="NEW")


class TestNotices:
    @pytest.mark.any_database
    async def test_users_get_a_message_when_another_user_subscribes_them(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general", subscribers=[member])
        listener, own = await listen(client, guest), await listen(client, member)
        people = {"principals": [guest.user_id, member.user_id]}
        payload = assert_success(await subscribe(client, member, "general", **people))
        assert payload["new_subscription_messages_sent"] is True
        (event,) = await told(listener, "message")
        expected = f"@_**{member.full_name}|{member.user_id}** subscribed you to the channel"
        assert event["message"]["content"] == f"{expected} #**general**."
        assert event["message"]["type"] == "private"
        assert await told(own, "message") == []

    @pytest.mark.any_database
    async def test_response_tells_the_caller_when_no_message_was_sent(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general", subscribers=[guest])
        alone = assert_success(await subscribe(client, member, "general"))
        assert alone["new_subscription_messages_sent"] is False
        known = {"principals": [guest.user_id]}
        again = assert_success(await subscribe(client, member, "general", **known))
        assert again["new_subscription_messages_sent"] is False

    @pytest.mark.any_database
    async def test_no_message_if_the_caller_turns_it_off(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general", subscribers=[member])
        listener = await listen(client, guest)
        params = {"principals": [guest.user_id], "send_new_subscription_messages": False}
        payload = assert_success(await subscribe(client, member, "general", **params))
        assert "new_subscription_messages_sent" not in payload
        assert await told(listener, "message") == []

    async def test_changes_are_posted_in_the_channel(
        self, client: ApiClient, owner: Person
    ) -> None:
        listener = await listen(client, owner)
        assert_success(await subscribe(client, owner, "plans"))
        channel_id = (await client.get("/get_stream_id", owner, stream="plans"))["stream_id"]
        path = f"/streams/{channel_id}"
        assert_success(await client.patch(path, owner, new_name="old plans", is_private=True))
        assert_success(await client.delete(path, owner))
        messages = [event["message"] for event in await told(listener, "message")]
        assert {message["subject"] for message in messages} == {"channel events"}
        who = f"@_**{owner.full_name}|{owner.user_id}**"
        assert [message["content"] for message in messages] == [
            f"**Public** channel created by {who}.",
            f"{who} renamed this channel from **plans** to **old plans**.",
            f"{who} changed the access to this channel from **Public** to **Private**.",
            f"{who} archived this channel.",
        ]
        await change_realm(client, owner, send_channel_events_messages=False)
        assert_success(await subscribe(client, owner, "quiet"))
        assert await told(listener, "message") == []

    async def test_new_channels_are_announced_in_the_configured_channel(
        self,
        client: ApiClient,
        runtime: Runtime,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        place = await make_channel("news", subscribers=[member])
        setting = {"new_stream_announcements_stream_id": place.id}
        await change_realm(client, owner, send_channel_events_messages=False, **setting)
        listener = await listen(client, member)
        assert_success(await subscribe(client, owner, "one", "two", announce=True))
        assert_success(await subscribe(client, owner, "mine", announce=True, invite_only=True))
        assert_success(await subscribe(client, owner, "three"))
        (event,) = await told(listener, "message")
        assert event["message"]["subject"] == "new channels"
        assert event["message"]["content"].endswith("created new channels: #**one**, #**two**.")
        refused = await client.patch("/realm", owner, new_stream_announcements_stream_id=10**6)
        assert assert_error(refused) == "Invalid channel ID"

    @pytest.mark.any_database
    async def test_no_messages_when_many_users_are_subscribed(
        self, client: ApiClient, owner: Person, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        crowd = [await make_user() for _ in range(101)]
        await make_channel("general", subscribers=[owner])
        listener = await listen(client, crowd[0])
        people = {"principals": [person.user_id for person in crowd]}
        payload = assert_success(await subscribe(client, owner, "general", **people))
        assert payload["new_subscription_messages_sent"] is False
        assert len(payload["subscribed"]) == 101
        assert await told(listener, "message") == []


@pytest.mark.any_database
class TestEmailAddress:
    async def test_answers_that_the_server_receives_no_mail(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("public")
        response = await client.get(f"/streams/{channel.id}/email_address", member, sender_id=1)
        assert assert_error(response) == "This server does not receive email"

    async def test_hidden_channel_is_refused_like_a_missing_one(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("secret", invite_only=True)
        for channel_id in (channel.id, channel.id + 1):
            response = await client.get(f"/streams/{channel_id}/email_address", member)
            assert assert_error(response) == "Invalid channel ID"
