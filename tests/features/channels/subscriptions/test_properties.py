"""Personal properties of subscriptions (SPEC 4.5), and reading subscriptions."""

from typing import Any

import pytest

from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import SUBSCRIPTIONS, subscribe, told, unsubscribe
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

PROPERTIES = f"{SUBSCRIPTIONS}/properties"


async def own(client: ApiClient, person: Person, **params: object) -> list[dict[str, Any]]:
    response = assert_success(await client.get(SUBSCRIPTIONS, person, **params))
    subscriptions: list[dict[str, Any]] = response["subscriptions"]
    return subscriptions


class TestProperties:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("color", "#c2c2c2"),
            ("pin_to_top", True),
            ("desktop_notifications", False),
            ("audible_notifications", True),
            ("push_notifications", True),
            ("email_notifications", False),
            ("wildcard_mentions_notify", True),
        ],
    )
    async def test_each_change_is_stored_and_emitted(
        self,
        client: ApiClient,
        member: Person,
        make_channel: MakeChannel,
        name: str,
        value: object,
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        listener = await listen(client, member)
        data = [{"stream_id": channel.id, "property": name, "value": value}]
        assert_success(await client.post(PROPERTIES, member, subscription_data=data))
        assert (await own(client, member))[0][name] == value
        assert await told(listener) == [
            {
                "type": "subscription",
                "op": "update",
                "stream_id": channel.id,
                "property": name,
                "value": value,
            }
        ]

    @pytest.mark.any_database
    @pytest.mark.parametrize(("name", "value"), [("is_muted", True), ("in_home_view", False)])
    async def test_muting_is_emitted_under_both_names(
        self,
        client: ApiClient,
        member: Person,
        make_channel: MakeChannel,
        name: str,
        value: bool,
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        listener = await listen(client, member)
        path = f"{SUBSCRIPTIONS}/{channel.id}"
        assert_success(await client.patch(path, member, property=name, value=value))
        (subscription,) = await own(client, member)
        assert (subscription["is_muted"], subscription["in_home_view"]) == (True, False)
        events = [(event["property"], event["value"]) for event in await told(listener)]
        assert events == [("is_muted", True), ("in_home_view", False)]

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("color", "red"),
            ("color", "#12345"),
            ("color", True),
            ("pin_to_top", "true!"),
            ("nonsense", True),
            ("is_muted", 1),
        ],
    )
    async def test_bad_values_are_refused(
        self,
        client: ApiClient,
        member: Person,
        make_channel: MakeChannel,
        name: str,
        value: object,
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        good = {"stream_id": channel.id, "property": "pin_to_top", "value": True}
        bad = {"stream_id": channel.id, "property": name, "value": value}
        assert_error(await client.post(PROPERTIES, member, subscription_data=[good, bad]))
        assert (await own(client, member))[0]["pin_to_top"] is False

    @pytest.mark.any_database
    async def test_change_without_subscription_is_refused(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        public, secret = await make_channel(), await make_channel(invite_only=True)
        for channel, message in (
            (public, f"Not subscribed to channel ID {public.id}"),
            (secret, "Invalid channel ID"),
        ):
            path = f"{SUBSCRIPTIONS}/{channel.id}"
            response = await client.patch(path, member, property="is_muted", value=True)
            assert assert_error(response) == message

    async def test_properties_survive_unsubscribing_and_resubscribing(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        path = f"{SUBSCRIPTIONS}/{channel.id}"
        assert_success(await client.patch(path, member, property="color", value="#abcdef"))
        assert_success(await unsubscribe(client, member, "general"))
        listener = await listen(client, member)
        assert listener.state["unsubscribed"][0]["color"] == "#abcdef"
        assert_success(await subscribe(client, member, "general"))
        (added,) = await told(listener)
        assert added["subscriptions"][0]["color"] == "#abcdef"


class TestReading:
    @pytest.mark.any_database
    async def test_colors_differ(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        for _ in range(4):
            await make_channel(subscribers=[member])
        assert len({each["color"] for each in await own(client, member)}) == 4

    async def test_subscribers_are_included_on_request(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel(subscribers=[member, guest])
        (plain,) = await own(client, member)
        assert "subscribers" not in plain
        for asked in ("true", "partial"):
            (subscription,) = await own(client, member, include_subscribers=asked)
            assert sorted(subscription["subscribers"]) == [member.user_id, guest.user_id]

    async def test_partial_subscribers_of_large_channels_are_bots_only(
        self, client: ApiClient, member: Person, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        bot = await make_user(bot_owner=member)
        people = [await make_user() for _ in range(250)]
        await make_channel(subscribers=[member, bot, *people])
        (subscription,) = await own(client, member, include_subscribers="partial")
        assert subscription["partial_subscribers"] == [bot.user_id]
        assert "subscribers" not in subscription

    @pytest.mark.any_database
    async def test_register_groups_channels_by_subscription_status(
        self, client: ApiClient, guest: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("inside", subscribers=[member, guest])
        await make_channel("left", subscribers=[member])
        await make_channel("never")
        await make_channel("secret", invite_only=True)
        assert_success(await unsubscribe(client, member, "left"))
        seen = {}
        for person in (member, guest):
            state = (await listen(client, person, include_subscribers="true")).state
            seen[person.user_id] = [
                [each["name"] for each in state[key]]
                for key in ("subscriptions", "unsubscribed", "never_subscribed", "streams")
            ]
        assert seen[member.user_id] == [
            ["inside"],
            ["left"],
            ["never"],
            ["inside", "left", "never"],
        ]
        assert seen[guest.user_id] == [["inside"], [], [], ["inside"]]

    @pytest.mark.any_database
    async def test_subscription_status_of_a_user(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(subscribers=[guest])
        for person, is_inside in ((guest, True), (member, False)):
            path = f"/users/{person.user_id}/subscriptions/{channel.id}"
            assert assert_success(await client.get(path, member)) == {"is_subscribed": is_inside}

    @pytest.mark.any_database
    async def test_channels_of_other_users_are_limited_to_visible_ones(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        public = await make_channel(subscribers=[owner])
        secret = await make_channel(subscribers=[owner], invite_only=True)
        path = f"/users/{owner.user_id}/channels"
        for person, ids in ((member, [public.id]), (owner, [public.id, secret.id])):
            response = assert_success(await client.get(path, person))
            assert response == {"subscribed_channel_ids": ids}
