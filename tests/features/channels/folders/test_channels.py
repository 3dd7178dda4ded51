"""The folder of a channel: set on creation, changed with permission to change the channel."""

from typing import Any

import pytest

from tests.factories import MakeChannel, Person
from tests.features.channels.channels import (
    KNOWS_ARCHIVED,
    channel_of,
    names_seen_by,
    subscribe,
    told,
    unnamed,
)
from tests.features.channels.folders.folders import add_folder, change_folder
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

NOWHERE = "null"


@pytest.fixture
async def folder_id(client: ApiClient, admin: Person) -> int:
    return await add_folder(client, admin, "Work")


async def seen_everywhere(client: ApiClient, person: Person, name: str) -> set[int | None]:
    """The folder of a channel in all lists that show it."""
    state = (await listen(client, person)).state
    responses = [
        assert_success(await client.get("/streams", person))["streams"],
        assert_success(await client.get("/users/me/subscriptions", person))["subscriptions"],
        state["streams"],
        state["subscriptions"],
    ]
    return {each["folder_id"] for shown in responses for each in shown if each["name"] == name}


@pytest.mark.any_database
class TestNewChannels:
    async def test_by_subscribing(
        self, client: ApiClient, admin: Person, member: Person, folder_id: int
    ) -> None:
        listener = await listen(client, admin, event_types=["stream"])
        mine = await listen(client, member, event_types=["subscription"])
        assert_success(await subscribe(client, member, "plans", folder_id=folder_id))
        assert await seen_everywhere(client, member, "plans") == {folder_id}
        [created] = await told(listener, "stream")
        assert created["streams"][0]["folder_id"] == folder_id
        [joined] = await told(mine, "subscription")
        assert joined["subscriptions"][0]["folder_id"] == folder_id

    async def test_by_creating(self, client: ApiClient, member: Person, folder_id: int) -> None:
        params: dict[str, Any] = {"name": "plans", "subscribers": [member.user_id]}
        response = await client.post("/channels/create", member, folder_id=folder_id, **params)
        assert_success(response)
        assert await seen_everywhere(client, member, "plans") == {folder_id}

    async def test_are_in_no_folder_by_default(
        self, client: ApiClient, member: Person, folder_id: int
    ) -> None:
        assert_success(await subscribe(client, member, "plans"))
        assert_success(await subscribe(client, member, "hopes", folder_id=NOWHERE))
        assert await seen_everywhere(client, member, "plans") == {None}
        assert await seen_everywhere(client, member, "hopes") == {None}

    async def test_existing_channels_keep_their_folder(
        self, client: ApiClient, member: Person, folder_id: int
    ) -> None:
        assert_success(await subscribe(client, member, "plans"))
        assert_success(await subscribe(client, member, "plans", folder_id=folder_id))
        assert await seen_everywhere(client, member, "plans") == {None}

    @pytest.mark.parametrize(
        ("wish", "message"),
        [
            (4711, "Invalid channel folder ID"),
            (-1, "folder_id is too small (at least: 0)"),
            ('"Work"', "folder_id is not an integer"),
            ("Work", 'Argument "folder_id" is not valid JSON.'),
        ],
    )
    async def test_refuse_unknown_folders(
        self, client: ApiClient, member: Person, folder_id: int, wish: object, message: str
    ) -> None:
        assert assert_error(await subscribe(client, member, "plans", folder_id=wish)) == message
        assert await names_seen_by(client, member) == set()

    async def test_refuse_an_archived_folder(
        self, client: ApiClient, admin: Person, member: Person, folder_id: int
    ) -> None:
        assert_success(await change_folder(client, admin, folder_id, is_archived=True))
        refusal = assert_error(await subscribe(client, member, "plans", folder_id=folder_id))
        assert refusal == "folder_id: Channel folder is archived"
        assert await names_seen_by(client, member) == set()


class TestChange:
    async def test_event_is_sent_to_users_who_see_the_channel(
        self,
        client: ApiClient,
        admin: Person,
        member: Person,
        make_channel: MakeChannel,
        folder_id: int,
    ) -> None:
        channel = await make_channel(
            "plans", subscribers=[member], can_administer_channel_group=unnamed([member])
        )
        path = f"/streams/{channel.id}"
        listener = await listen(client, admin, event_types=["stream"])
        assert_success(await client.patch(path, member, folder_id=folder_id))
        assert_success(await client.patch(path, member, folder_id=folder_id))
        assert await seen_everywhere(client, member, "plans") == {folder_id}
        assert_success(await client.patch(path, member, folder_id=NOWHERE))
        assert await seen_everywhere(client, member, "plans") == {None}
        common = {"type": "stream", "op": "update", "stream_id": channel.id, "name": "plans"}
        assert await told(listener, "stream") == [
            {**common, "property": "folder_id", "value": folder_id},
            {**common, "property": "folder_id", "value": None},
        ]

    @pytest.mark.any_database
    @pytest.mark.parametrize("wish", [4711, '"Work"', "[]"])
    async def test_refuses_unknown_folders(
        self, client: ApiClient, admin: Person, make_channel: MakeChannel, wish: object
    ) -> None:
        channel = await make_channel("plans")
        path = f"/streams/{channel.id}"
        assert "folder" in assert_error(await client.patch(path, admin, folder_id=wish))
        assert (await channel_of(client, admin, channel))["folder_id"] is None

    @pytest.mark.any_database
    async def test_needs_the_permission_to_change_the_channel(
        self, client: ApiClient, member: Person, make_channel: MakeChannel, folder_id: int
    ) -> None:
        channel = await make_channel("plans", subscribers=[member])
        response = await client.patch(f"/streams/{channel.id}", member, folder_id=folder_id)
        assert assert_error(response) == "Insufficient permission"


class TestArchivedFolders:
    async def test_a_folder_with_channels_cannot_be_archived(
        self, client: ApiClient, admin: Person, make_channel: MakeChannel, folder_id: int
    ) -> None:
        channel = await make_channel("plans", folder_id=folder_id)
        refusal = assert_error(await change_folder(client, admin, folder_id, is_archived=True))
        assert "remove all the channels from this folder" in refusal
        assert_success(await client.patch(f"/streams/{channel.id}", admin, folder_id=NOWHERE))
        assert_success(await change_folder(client, admin, folder_id, is_archived=True))

    async def test_unarchived_channels_leave_an_archived_folder(
        self, client: ApiClient, admin: Person, make_channel: MakeChannel, folder_id: int
    ) -> None:
        channel = await make_channel("plans", folder_id=folder_id)
        path = f"/streams/{channel.id}"
        assert_success(await client.delete(path, admin))
        assert_success(await change_folder(client, admin, folder_id, is_archived=True))
        assert (await channel_of(client, admin, channel))["folder_id"] == folder_id
        keeps = await listen(
            client, admin, event_types=["stream"], client_capabilities=KNOWS_ARCHIVED
        )
        forgets = await listen(client, admin, event_types=["stream"])
        assert_success(await client.patch(path, admin, is_archived=False))
        changes = [(each["property"], each["value"]) for each in await told(keeps, "stream")]
        assert changes == [("folder_id", None), ("is_archived", False)]
        [created] = await told(forgets, "stream")
        assert created["streams"][0]["folder_id"] is None
        assert (await channel_of(client, admin, channel))["folder_id"] is None

    async def test_unarchived_channels_stay_in_an_active_folder(
        self, client: ApiClient, admin: Person, make_channel: MakeChannel, folder_id: int
    ) -> None:
        channel = await make_channel("plans", folder_id=folder_id)
        assert_success(await client.delete(f"/streams/{channel.id}", admin))
        assert_success(await client.patch(f"/streams/{channel.id}", admin, is_archived=False))
        assert (await channel_of(client, admin, channel))["folder_id"] == folder_id
