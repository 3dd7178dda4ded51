"""Guests who may not see all users learn neither names nor addresses of the others."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import UserId
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.groups.groups import add_group, group_of
from tests.features.messages.fetch.conversations import ask, read, send, send_direct, show
from tests.features.realm.settings import allow
from tests.features.users.people import gravatar, made_up_email
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success

UNUSED_ID = 900_000


@pytest.fixture
async def friend(make_user: MakeUser) -> Person:
    return await make_user(full_name="Friend")


@pytest.fixture
async def stranger(make_user: MakeUser) -> Person:
    """A user who sends to the guest's channel without being subscribed."""
    return await make_user(full_name="Stranger")


@pytest.fixture
async def square(
    client: ApiClient,
    realm: RealmRecord,
    owner: Person,
    guest: Person,
    friend: Person,
    make_channel: MakeChannel,
) -> ChannelRecord:
    await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
    return await make_channel("square", subscribers=[guest, friend])


def assert_unknown(message: dict[str, Any], sender: Person) -> None:
    assert message["sender_id"] == sender.user_id
    assert message["sender_full_name"] == "Unknown user"
    assert message["sender_email"] == made_up_email(sender)
    assert message["avatar_url"] == gravatar(made_up_email(sender))


class TestMessages:
    async def test_hidden_sender_is_unknown_in_history(
        self,
        client: ApiClient,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
        stranger: Person,
    ) -> None:
        message_id = await send(client, stranger, square)
        (message,) = (await read(client, guest))["messages"]
        assert_unknown(message, stranger)
        assert_unknown(await show(client, guest, message_id), stranger)
        assert (await show(client, friend, message_id))["sender_full_name"] == "Stranger"

    async def test_hidden_sender_is_unknown_in_events(
        self,
        client: ApiClient,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
        stranger: Person,
    ) -> None:
        listeners = {each: await _listen(client, each, "message") for each in (guest, friend)}
        await send(client, stranger, square)
        (event,) = await listeners[guest].new_events()
        assert_unknown(event["message"], stranger)
        (event,) = await listeners[friend].new_events()
        assert event["message"]["sender_full_name"] == "Stranger"

    async def test_sender_of_direct_message_is_known(
        self, client: ApiClient, square: ChannelRecord, guest: Person, stranger: Person
    ) -> None:
        listener = await _listen(client, guest, "message")
        message_id = await send_direct(client, stranger, guest)
        (event,) = await listener.new_events()
        assert event["message"]["sender_full_name"] == "Stranger"
        assert (await show(client, guest, message_id))["sender_full_name"] == "Stranger"

    async def test_hidden_user_is_unknown_in_reaction_events(
        self,
        client: ApiClient,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
        stranger: Person,
    ) -> None:
        message_id = await send(client, friend, square)
        listeners = {each: await _listen(client, each, "reaction") for each in (guest, friend)}
        path = f"/messages/{message_id}/reactions"
        assert_success(await client.post(path, stranger, emoji_name="tada"))
        (event,) = await listeners[guest].new_events()
        assert event["user"] == {
            "user_id": stranger.user_id,
            "email": made_up_email(stranger),
            "full_name": "Unknown user",
        }
        (event,) = await listeners[friend].new_events()
        assert event["user"]["full_name"] == "Stranger"


class TestTyping:
    async def test_hidden_user_is_not_seen_typing(
        self,
        client: ApiClient,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
        stranger: Person,
    ) -> None:
        listener = await _listen(
            client, guest, "typing", client_capabilities={"stream_typing_notifications": True}
        )
        where = {"type": "stream", "stream_id": square.id, "topic": "lunch"}
        for person in (stranger, friend):
            assert_success(await client.post("/typing", person, op="start", **where))
            to = [guest.user_id]
            assert_success(await client.post("/typing", person, op="start", type="direct", to=to))
        senders = {event["sender"]["user_id"] for event in await listener.new_events()}
        assert senders == {friend.user_id}


class TestLists:
    async def test_groups_list_visible_members_only(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
        stranger: Person,
    ) -> None:
        group_id = await add_group(client, owner, [friend, stranger, guest])
        visible = sorted([int(friend.user_id), int(guest.user_id)])
        assert (await group_of(client, guest, group_id))["members"] == visible
        members = await client.get(f"/user_groups/{group_id}/members", guest)
        assert assert_success(members)["members"] == visible
        state = (await listen(client, guest, fetch_event_types=["realm_user_groups"])).state
        groups = {group["id"]: group["members"] for group in state["realm_user_groups"]}
        assert groups[group_id] == visible
        for user_id in (stranger.user_id, UNUSED_ID):
            one = await client.get(f"/user_groups/{group_id}/members/{user_id}", guest)
            assert assert_error(one) == "No such user"

    async def test_group_events_name_visible_members_only(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
        stranger: Person,
    ) -> None:
        listener = await _listen(client, guest, "user_group")
        group_id = await add_group(client, owner, [friend, stranger])
        path = f"/user_groups/{group_id}/members"
        both = [int(friend.user_id), int(stranger.user_id)]
        assert_success(await client.post(path, owner, delete=both[1:]))
        assert_success(await client.post(path, owner, delete=both[:1]))
        assert_success(await client.post(path, owner, add=both))
        added, removed, added_again = await listener.new_events()
        assert added["group"]["members"] == [friend.user_id]
        assert removed["user_ids"] == added_again["user_ids"] == [friend.user_id]

    async def test_channels_list_visible_subscribers_only(
        self,
        client: ApiClient,
        realm: RealmRecord,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        stranger: Person,
        friend: Person,
        make_channel: MakeChannel,
    ) -> None:
        assert_success(await client.patch("/realm", owner, enable_spectator_access=True))
        window = await make_channel("window", is_web_public=True, subscribers=[stranger, friend])
        members = await client.get(f"/streams/{window.id}/members", guest)
        assert assert_success(members)["subscribers"] == [friend.user_id]
        state = (await listen(client, guest, include_subscribers=True)).state
        (shown,) = state["never_subscribed"]
        assert shown["subscribers"] == [friend.user_id]


@pytest.mark.parametrize("operator", ["sender", "dm", "dm-including", "group-pm-with"])
async def test_narrow_to_hidden_user_responds_like_one_to_unknown_user(
    client: ApiClient, square: ChannelRecord, guest: Person, stranger: Person, operator: str
) -> None:
    unused = Person(UserId(UNUSED_ID), "nobody@example.com", "")
    for person in (stranger, unused):
        for operand in (person.user_id, person.email, made_up_email(person)):
            response = await ask(client, guest, [operator, operand])
            assert assert_error(response) == f"Invalid narrow operator: unknown user {operand}"


async def _listen(client: ApiClient, person: Person, kind: str, **params: object) -> Listener:
    return await listen(client, person, event_types=[kind], fetch_event_types=[], **params)
