"""POST and DELETE /users/me/muted_users/{muted_user_id}, and their effects."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import (
    flags_of,
    mark,
    send,
    send_direct,
    unread_ids,
)
from tests.features.realm.settings import allow
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success


async def mute(client: ApiClient, person: Person | None, other: Person) -> ApiResponse:
    return await client.post(f"/users/me/muted_users/{other.user_id}", person)


async def unmute(client: ApiClient, person: Person | None, other: Person) -> ApiResponse:
    return await client.delete(f"/users/me/muted_users/{other.user_id}", person)


class TestMute:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        assert_error(await mute(client, None, member), "UNAUTHORIZED", 401)
        assert_error(await unmute(client, None, member), "UNAUTHORIZED", 401)

    async def test_event_is_sent_to_the_caller_only(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["muted_users"])
        outside = await listen(client, owner, event_types=["muted_users"])
        assert listener.state["muted_users"] == []
        assert assert_success(await mute(client, member, owner)) == {}
        muted = [{"id": owner.user_id, "timestamp": unix_seconds(clock.now())}]
        [event] = await listener.new_events()
        assert event == {"id": event["id"], "type": "muted_users", "muted_users": muted}
        assert await outside.new_events() == []
        assert (await listen(client, member)).state["muted_users"] == muted
        assert assert_success(await unmute(client, member, owner)) == {}
        [event] = await listener.new_events()
        assert event["muted_users"] == []

    @pytest.mark.any_database
    async def test_is_refused(self, client: ApiClient, owner: Person, member: Person) -> None:
        assert assert_error(await mute(client, member, member)) == "Cannot mute self"
        assert assert_error(await unmute(client, member, owner)) == "User is not muted"
        assert_success(await mute(client, member, owner))
        assert assert_error(await mute(client, member, owner)) == "User already muted"
        unknown = await client.post("/users/me/muted_users/4711", member)
        assert assert_error(unknown) == "No such user"

    @pytest.mark.any_database
    async def test_invisible_users_are_unknown(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person, guest: Person
    ) -> None:
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        assert assert_error(await mute(client, guest, member)) == "No such user"
        await send_direct(client, member, guest)
        assert_success(await mute(client, guest, member))


class TestMessagesOfMutedUsers:
    @pytest.mark.any_database
    async def test_count_as_read(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        assert_success(await mute(client, member, owner))
        listener = await listen(client, member, event_types=["message"])
        message_ids = [
            await send(client, owner, channel),
            await send_direct(client, owner, member),
        ]
        assert [event["flags"] for event in await listener.new_events()] == [["read"], ["read"]]
        assert await unread_ids(client, member) == set()
        for message_id in message_ids:
            assert "read" in await flags_of(client, member, message_id)

    @pytest.mark.any_database
    async def test_earlier_messages_become_read(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        theirs = [await send(client, owner, channel), await send_direct(client, owner, member)]
        kept = await send(client, member, channel, read_by_sender=False)
        listener = await listen(client, member, event_types=["update_message_flags"])
        assert_success(await mute(client, member, owner))
        [event] = await listener.new_events()
        assert (event["op"], event["flag"], event["messages"]) == ("add", "read", theirs)
        assert await unread_ids(client, member) == {kept}

    async def test_can_be_marked_unread_and_stay_read_afterwards(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        assert_success(await mute(client, member, owner))
        first, second = [await send_direct(client, owner, member) for _ in range(2)]
        await mark(client, member, first, op="remove")
        assert await unread_ids(client, member) == {first}
        assert_success(await unmute(client, member, owner))
        third = await send_direct(client, owner, member)
        assert await unread_ids(client, member) == {first, third}
        await mark(client, member, first, third)
        assert await unread_ids(client, member) == set()
        assert "read" in await flags_of(client, member, second)

    @pytest.mark.any_database
    async def test_other_readers_are_not_affected(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        assert_success(await mute(client, owner, member))
        message_id = await send(client, owner, channel)
        assert await unread_ids(client, member) == {message_id}
