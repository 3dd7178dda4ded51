"""DELETE and PATCH /users/me/subscriptions: unsubscribing oneself and others."""

import pytest

from chatapi.core.roles import Role
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import (
    SUBSCRIPTIONS,
    members_of,
    subscribe,
    unnamed,
    unsubscribe,
)
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


@pytest.mark.any_database
class TestUnsubscribe:
    async def test_every_role_can_unsubscribe(
        self, client: ApiClient, guest: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general", subscribers=[guest, member])
        payload = assert_success(await unsubscribe(client, guest, "GENERAL"))
        assert payload == {"removed": ["general"], "not_removed": []}
        assert await members_of(client, member, channel) == [member.user_id]

    async def test_user_who_is_not_subscribed_is_reported_as_not_removed(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general")
        payload = assert_success(await unsubscribe(client, member, "general"))
        assert payload == {"removed": [], "not_removed": ["general"]}

    async def test_unknown_and_hidden_channels_give_the_same_error(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("secret", invite_only=True)
        for name in ("secret", "nothing"):
            response = await unsubscribe(client, member, name)
            assert_error(response, "STREAM_DOES_NOT_EXIST", stream=name)

    @pytest.mark.parametrize(
        ("role", "is_allowed"),
        [(Role.ADMIN, True), (Role.MODERATOR, False), (Role.MEMBER, False), (Role.GUEST, False)],
    )
    async def test_administrators_unsubscribe_others(
        self,
        client: ApiClient,
        make_user: MakeUser,
        member: Person,
        make_channel: MakeChannel,
        role: Role,
        is_allowed: bool,
    ) -> None:
        person = await make_user(role)
        channel = await make_channel("general", subscribers=[member, person])
        response = await unsubscribe(client, person, "general", principals=[member.user_id])
        if is_allowed:
            assert_success(response)
        else:
            assert assert_error(response) == "Insufficient permission"
        assert (member.user_id in await members_of(client, person, channel)) is not is_allowed

    @pytest.mark.parametrize(
        "setting", ["can_remove_subscribers_group", "can_administer_channel_group"]
    )
    async def test_users_named_by_the_channel_unsubscribe_others(
        self,
        client: ApiClient,
        make_user: MakeUser,
        member: Person,
        make_channel: MakeChannel,
        setting: str,
    ) -> None:
        await make_channel("general", subscribers=[member], **{setting: unnamed([member])})
        other = await make_user()
        assert_success(await subscribe(client, other, "general"))
        assert_success(await unsubscribe(client, member, "general", principals=[other.user_id]))

    async def test_owners_unsubscribe_their_bots(
        self, client: ApiClient, make_user: MakeUser, member: Person, make_channel: MakeChannel
    ) -> None:
        bot = await make_user(bot_owner=member)
        await make_channel("general", subscribers=[bot])
        payload = await unsubscribe(client, member, "general", principals=[bot.user_id])
        assert assert_success(payload)["removed"] == ["general"]

    async def test_former_subscribers_of_private_channels_see_nothing(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("secret", invite_only=True, subscribers=[owner, member])
        assert_success(await unsubscribe(client, member, "secret"))
        for path in (
            f"/streams/{channel.id}",
            f"/streams/{channel.id}/members",
            f"/users/me/{channel.id}/topics",
            f"/users/{owner.user_id}/subscriptions/{channel.id}",
        ):
            assert assert_error(await client.get(path, member)) == "Invalid channel ID"
        assert_error(await client.get("/get_stream_id", member, stream="secret"))
        assert_error(await subscribe(client, member, "secret"))
        own = assert_success(await client.post("/register", member))
        everywhere = [*own["streams"], *own["unsubscribed"], *own["never_subscribed"]]
        assert channel.id not in [each["stream_id"] for each in everywhere]
        channels = assert_success(await client.get(f"/users/{owner.user_id}/channels", member))
        assert channels["subscribed_channel_ids"] == []


@pytest.mark.any_database
class TestChange:
    async def test_delete_and_add_in_one_request(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        old = await make_channel("old", subscribers=[member])
        new = await make_channel("new")
        response = await client.patch(
            SUBSCRIPTIONS, member, delete=["old"], add=[{"name": "new", "color": "#123456"}]
        )
        assert assert_success(response) == {
            "removed": ["old"],
            "not_removed": [],
            "subscribed": {str(member.user_id): ["new"]},
            "already_subscribed": {},
        }
        assert await members_of(client, member, old) == []
        assert await members_of(client, member, new) == [member.user_id]
        own = assert_success(await client.get(SUBSCRIPTIONS, member))["subscriptions"]
        assert [each["color"] for each in own] == ["#123456"]

    async def test_request_without_changes_is_refused(
        self, client: ApiClient, member: Person
    ) -> None:
        assert "Nothing to do" in assert_error(await client.patch(SUBSCRIPTIONS, member))
