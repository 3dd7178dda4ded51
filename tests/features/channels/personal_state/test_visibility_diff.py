"""Stars and topic policies that lose and regain visibility: clients get events about both."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import Role
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe, unsubscribe
from tests.features.messages.fetch.conversations import send
from tests.features.messages.move.test_replayed_events import move
from tests.support.account_changes import change_role
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success

KNOWS_ALL = {"notification_settings_null": True, "empty_topic_name": True}


class Kept:
    """A client's copy of its user's stars and topic policies, from the state and from events."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.stars: set[int] = set(state["starred_messages"])
        self.topics: dict[tuple[int, str], int] = {
            (each["stream_id"], each["topic_name"]): each["visibility_policy"]
            for each in state["user_topics"]
        }
        self.muted: list[list[object]] = state["muted_topics"]

    def see(self, event: dict[str, Any]) -> None:
        match event["type"]:
            case "update_message_flags" if event["flag"] == "starred":
                messages = set(event["messages"])
                self.stars = (
                    self.stars | messages if event["op"] == "add" else self.stars - messages
                )
            case "delete_message":
                self.stars -= set(event.get("message_ids", [event.get("message_id")]))
            case "user_topic":
                key = event["stream_id"], event["topic_name"]
                self.topics[key] = event["visibility_policy"]
                if not event["visibility_policy"]:
                    del self.topics[key]
            case "muted_topics":
                self.muted = event["muted_topics"]
            case _:
                pass


async def compare(client: ApiClient, listener: Listener) -> Kept:
    """Check that the listener's state from events equals that of a newly registered client."""
    kept = Kept(listener.state)
    for event in await listener.new_events():
        kept.see(event)
    now = await listen(client, listener.person, client_capabilities=KNOWS_ALL)
    assert vars(kept) == vars(Kept(now.state))
    return kept


async def keep(client: ApiClient, person: Person, channel: ChannelRecord, message_id: int) -> None:
    """Star a message, and mute its topic."""
    star = {"op": "add", "flag": "starred", "messages": [message_id]}
    assert_success(await client.post("/messages/flags", person, **star))
    mute = {"stream_id": channel.id, "topic": "greetings", "visibility_policy": 1}
    assert_success(await client.post("/user_topics", person, **mute))


@pytest.fixture
async def private(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel(
        "private", subscribers=[owner, member], invite_only=True, history_public_to_subscribers=True
    )


@pytest.fixture
async def public(make_channel: MakeChannel, owner: Person) -> ChannelRecord:
    return await make_channel("public", subscribers=[owner])


async def test_unsubscribing_from_a_private_channel_removes_them_until_resubscribing(
    client: ApiClient, owner: Person, member: Person, private: ChannelRecord
) -> None:
    message = await send(client, owner, private)
    await keep(client, member, private, message)
    listener = await listen(client, member, client_capabilities=KNOWS_ALL)
    assert_success(await unsubscribe(client, member, "private"))
    assert (await compare(client, listener)).stars == set()
    listener = await listen(client, member, client_capabilities=KNOWS_ALL)
    assert_success(await subscribe(client, owner, "private", principals=[member.user_id]))
    kept = await compare(client, listener)
    assert kept.stars == {message}
    assert kept.topics == {(private.id, "greetings"): 1}


async def test_making_a_channel_private_removes_them(
    client: ApiClient, owner: Person, member: Person, public: ChannelRecord
) -> None:
    message = await send(client, owner, public)
    await keep(client, member, public, message)
    for is_private in (True, False):
        listener = await listen(client, member, client_capabilities=KNOWS_ALL)
        response = await client.patch(f"/streams/{public.id}", owner, is_private=is_private)
        assert_success(response)
        kept = await compare(client, listener)
        assert kept.stars == (set() if is_private else {message})


async def test_muted_topics_follow_the_renamed_channel(
    client: ApiClient, owner: Person, member: Person, public: ChannelRecord
) -> None:
    await keep(client, member, public, await send(client, owner, public))
    listener = await listen(client, member, client_capabilities=KNOWS_ALL)
    assert_success(await client.patch(f"/streams/{public.id}", owner, new_name="other"))
    kept = await compare(client, listener)
    assert [muted[0] for muted in kept.muted] == ["other"]


@pytest.mark.any_database
async def test_changed_role_changes_the_visible_ones(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    owner: Person,
    make_user: MakeUser,
    public: ChannelRecord,
) -> None:
    person = await make_user()
    message = await send(client, owner, public)
    await keep(client, person, public, message)
    for role in (Role.GUEST, Role.MEMBER):
        listener = await listen(client, person, client_capabilities=KNOWS_ALL)
        await change_role(runtime, realm, person, role)
        kept = await compare(client, listener)
        assert kept.stars == ({message} if role is Role.MEMBER else set())


class TestMessages:
    async def test_deleted_message_is_unstarred_for_non_subscribers(
        self, client: ApiClient, owner: Person, member: Person, public: ChannelRecord
    ) -> None:
        message = await send(client, owner, public)
        await keep(client, member, public, message)
        listener = await listen(client, member, client_capabilities=KNOWS_ALL)
        assert_success(await client.delete(f"/messages/{message}", owner))
        assert (await compare(client, listener)).stars == set()

    @pytest.mark.any_database
    async def test_deletion_of_a_hidden_message_emits_no_event(
        self, client: ApiClient, owner: Person, member: Person, private: ChannelRecord
    ) -> None:
        message = await send(client, owner, private)
        await keep(client, member, private, message)
        assert_success(await unsubscribe(client, member, "private"))
        listener = await listen(client, member, client_capabilities=KNOWS_ALL)
        assert_success(await client.delete(f"/messages/{message}", owner))
        assert await listener.new_events() == []

    async def test_message_moved_to_a_hidden_channel_and_back(
        self,
        client: ApiClient,
        owner: Person,
        make_user: MakeUser,
        public: ChannelRecord,
        private: ChannelRecord,
    ) -> None:
        person = await make_user()
        message = await send(client, owner, public)
        await keep(client, person, public, message)
        for target in (private, public):
            listener = await listen(client, person, client_capabilities=KNOWS_ALL)
            await move(client, owner, message, stream_id=target.id, propagate_mode="change_all")
            kept = await compare(client, listener)
            assert kept.stars == ({message} if target is public else set())

    async def test_message_moved_out_of_a_history_that_is_hidden_from_a_subscriber(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
        private: ChannelRecord,
    ) -> None:
        """It was sent before the owner of the star subscribed, and starred before that hid it."""
        assert_success(await unsubscribe(client, member, "private"))
        message = await send(client, owner, private)
        assert_success(await subscribe(client, owner, "private", principals=[member.user_id]))
        await keep(client, member, private, message)
        hidden = {"history_public_to_subscribers": False}
        assert_success(await client.patch(f"/streams/{private.id}", owner, **hidden))
        there = await make_channel("there", subscribers=[owner, member])
        listener = await listen(client, member, client_capabilities=KNOWS_ALL)
        assert Kept(listener.state).stars == set()
        await move(client, owner, message, stream_id=there.id, propagate_mode="change_all")
        assert (await compare(client, listener)).stars == {message}

    async def test_rename_of_a_hidden_topic_emits_no_event(
        self, client: ApiClient, owner: Person, member: Person, private: ChannelRecord
    ) -> None:
        message = await send(client, owner, private)
        await keep(client, member, private, message)
        assert_success(await unsubscribe(client, member, "private"))
        listener = await listen(client, member, client_capabilities=KNOWS_ALL)
        await move(client, owner, message, topic="secret plans", propagate_mode="change_all")
        assert await listener.new_events() == []
        back = await listen(client, member, client_capabilities=KNOWS_ALL)
        assert_success(await subscribe(client, owner, "private", principals=[member.user_id]))
        kept = await compare(client, back)
        assert kept.topics == {(private.id, "secret plans"): 1}
