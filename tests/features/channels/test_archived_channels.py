"""Unarchived channels, for clients with and without support for archived channels."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import KNOWS_ARCHIVED, kinds, told
from tests.support.account_changes import change_role
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success


def subscription_of(listener: Listener) -> list[dict[str, Any]]:
    subscriptions: list[dict[str, Any]] = listener.state["subscriptions"]
    return subscriptions


@pytest.mark.any_database
class TestUnarchiving:
    async def test_subscribers_get_their_subscription_back(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("ours", subscribers=[owner, member])
        listener = await listen(client, member, include_subscribers="true")
        before = subscription_of(listener)
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert_success(await client.patch(f"/streams/{channel.id}", owner, is_archived=False))
        events = await told(listener)
        assert kinds(events) == ["stream/delete", "stream/create", "subscription/add"]
        after = subscription_of(await listen(client, member, include_subscribers="true"))
        assert sorted(events[2]["subscriptions"][0]["subscribers"]) == sorted(
            after[0].pop("subscribers")
        )
        events[2]["subscriptions"][0].pop("subscribers")
        assert events[2]["subscriptions"] == after
        assert [each["color"] for each in before] == [each["color"] for each in after]

    async def test_other_users_get_its_subscribers(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("ours", subscribers=[owner, member])
        listener = await listen(client, await make_user())
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert_success(await client.patch(f"/streams/{channel.id}", owner, is_archived=False))
        events = await told(listener)
        assert kinds(events) == ["stream/delete", "stream/create", "subscription/peer_add"]
        assert events[2]["stream_ids"] == [channel.id]
        assert events[2]["user_ids"] == [owner.user_id, member.user_id]

    async def test_clients_that_know_archived_channels_keep_them(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("ours", subscribers=[owner, member])
        listener = await listen(client, member, client_capabilities=KNOWS_ARCHIVED)
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert_success(await client.patch(f"/streams/{channel.id}", owner, is_archived=False))
        assert kinds(await told(listener)) == ["stream/update", "stream/update"]


@pytest.mark.any_database
@pytest.mark.parametrize("capabilities", [{}, KNOWS_ARCHIVED])
async def test_archived_channel_is_deleted_for_clients_that_lose_visibility(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    make_user: MakeUser,
    owner: Person,
    make_channel: MakeChannel,
    capabilities: dict[str, bool],
) -> None:
    channel = await make_channel("ours", invite_only=True)
    assert_success(await client.delete(f"/streams/{channel.id}", owner))
    admin = await make_user(Role.ADMIN)
    listener = await listen(client, admin, client_capabilities=capabilities)
    known = [stream["stream_id"] for stream in listener.state["streams"]]
    await change_role(runtime, realm, admin, Role.MEMBER)
    gone = [event["stream_ids"] for event in await told(listener, "stream")]
    assert gone == ([known] if known else [])
