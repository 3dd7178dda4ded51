"""Groups of default channels: who changes them, and which channels can be in one."""

from typing import Any

import pytest

from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.channels.default_groups import params, service
from tests.factories import MakeChannel, Person
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success

GROUPS = "/default_stream_groups"
UNUSED_ID = 900_000


@pytest.fixture
async def code(make_channel: MakeChannel) -> ChannelRecord:
    return await make_channel("code")


@pytest.fixture
async def tests(make_channel: MakeChannel) -> ChannelRecord:
    return await make_channel("tests")


async def create(
    client: ApiClient, person: Person, name: str, *channels: str, description: str = ""
) -> ApiResponse:
    return await client.post(
        f"{GROUPS}/create",
        person,
        group_name=name,
        description=description,
        stream_names=list(channels),
    )


async def groups_seen_by(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    listener = await listen(client, person, fetch_event_types=["default_stream_groups"])
    groups: list[dict[str, Any]] = listener.state["realm_default_stream_groups"]
    return groups


@pytest.fixture
async def group_id(
    client: ApiClient, admin: Person, code: ChannelRecord, tests: ChannelRecord
) -> int:
    """A group with one channel; the other one is in none."""
    assert_success(await create(client, admin, "Build", code.name, description="We build"))
    (group,) = await groups_seen_by(client, admin)
    return int(group["id"])


async def told(listener: Listener) -> list[list[dict[str, Any]]]:
    events = await listener.new_events()
    return [
        event["default_stream_groups"]
        for event in events
        if event["type"] == "default_stream_groups"
    ]


async def channels_of(client: ApiClient, person: Person) -> list[list[int]]:
    return [group["streams"] for group in await groups_seen_by(client, person)]


class TestCreate:
    async def test_group_is_in_the_state_and_in_events_of_members(
        self,
        client: ApiClient,
        admin: Person,
        member: Person,
        guest: Person,
        code: ChannelRecord,
        tests: ChannelRecord,
    ) -> None:
        listeners = {each: await listen(client, each) for each in (member, guest)}
        created = await create(client, admin, " Build ", "TESTS", "code", "Code", description="We")
        assert_success(created)
        (group,) = await groups_seen_by(client, member)
        streams = sorted([code.id, tests.id])
        assert group == {
            "id": group["id"],
            "name": "Build",
            "description": "We",
            "streams": streams,
        }
        assert await told(listeners[member]) == [[group]]
        assert await groups_seen_by(client, guest) == []
        assert await told(listeners[guest]) == []

    @pytest.mark.any_database
    async def test_groups_are_listed_by_name(self, client: ApiClient, admin: Person) -> None:
        for name in ("zebra", "Ant", "bee"):
            assert_success(await create(client, admin, name))
        names = [group["name"] for group in await groups_seen_by(client, admin)]
        assert names == ["Ant", "bee", "zebra"]

    @pytest.mark.any_database
    async def test_only_administrators_create_groups(
        self, client: ApiClient, member: Person
    ) -> None:
        assert_error(await create(client, member, "Build"), "UNAUTHORIZED_PRINCIPAL")

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("name", "channels", "error"),
        [
            ("build", [], "group_name: Default channel group 'build' already exists"),
            (" ", [], "group_name cannot be empty"),
            ("a\nb", [], "group_name contains invalid characters"),
            ("Other", ["nowhere"], "stream_names: Channel 'nowhere' does not exist"),
            ("Other", ["hidden"], "stream_names: 'hidden' is private"),
            ("Other", ["general"], "stream_names: 'general' is a default channel"),
            ("Other", ["old"], "stream_names: 'old' is archived"),
        ],
    )
    async def test_unsuitable_names_and_channels_are_refused(
        self,
        client: ApiClient,
        admin: Person,
        group_id: int,
        make_channel: MakeChannel,
        name: str,
        channels: list[str],
        error: str,
    ) -> None:
        await make_channel("hidden", invite_only=True)
        general, old = await make_channel("general"), await make_channel("old")
        assert_success(await client.post("/default_streams", admin, stream_id=general.id))
        assert_success(await client.delete(f"/streams/{old.id}", admin))
        before = await groups_seen_by(client, admin)
        assert assert_error(await create(client, admin, name, *channels)) == error
        assert await groups_seen_by(client, admin) == before

    async def test_number_of_groups_is_limited(
        self, client: ApiClient, admin: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "MAX_GROUPS", 1)
        assert_success(await create(client, admin, "one"))
        error = assert_error(await create(client, admin, "two"))
        assert error == "An organization can have 1 default channel groups at most"

    @pytest.mark.any_database
    async def test_number_of_channels_is_limited(self, client: ApiClient, admin: Person) -> None:
        names = [f"c{number}" for number in range(params.MAX_CHANNELS + 1)]
        assert "stream_names" in assert_error(await create(client, admin, "many", *names))


class TestChange:
    async def test_name_and_description_change(
        self, client: ApiClient, admin: Person, group_id: int
    ) -> None:
        listener = await listen(client, admin)
        path = f"{GROUPS}/{group_id}"
        assert_success(await client.patch(path, admin, new_group_name="BUILD"))
        assert_success(await client.patch(path, admin, new_description=""))
        assert_success(await client.patch(path, admin, new_description=""))
        (group,) = await groups_seen_by(client, admin)
        assert (group["name"], group["description"]) == ("BUILD", "")
        shown = [(each["name"], each["description"]) for (each,) in await told(listener)]
        assert shown == [("BUILD", "We build"), ("BUILD", "")]

    async def test_names_of_other_groups_are_refused(
        self, client: ApiClient, admin: Person, group_id: int
    ) -> None:
        assert_success(await create(client, admin, "Other"))
        changed = await client.patch(f"{GROUPS}/{group_id}", admin, new_group_name="OTHER")
        expected = "new_group_name: Default channel group 'OTHER' already exists"
        assert assert_error(changed) == expected

    @pytest.mark.any_database
    async def test_request_without_a_change_is_refused(
        self, client: ApiClient, admin: Person, group_id: int
    ) -> None:
        error = assert_error(await client.patch(f"{GROUPS}/{group_id}", admin))
        assert error == 'You must pass "new_description" or "new_group_name".'

    @pytest.mark.any_database
    async def test_unknown_groups_are_refused(self, client: ApiClient, admin: Person) -> None:
        path = f"{GROUPS}/{UNUSED_ID}"
        for response in (
            await client.patch(path, admin, new_description="x"),
            await client.delete(path, admin),
            await client.patch(f"{path}/streams", admin, op="add", stream_names=[]),
        ):
            assert assert_error(response) == "Invalid default channel group ID"

    async def test_group_is_deleted_without_its_channels(
        self, client: ApiClient, admin: Person, member: Person, group_id: int, code: ChannelRecord
    ) -> None:
        listener = await listen(client, member)
        assert_success(await client.delete(f"{GROUPS}/{group_id}", admin))
        assert await groups_seen_by(client, member) == []
        assert await told(listener) == [[]]
        assert_success(await client.get(f"/streams/{code.id}", member))


class TestChannels:
    async def test_channels_are_added_and_removed(
        self,
        client: ApiClient,
        admin: Person,
        group_id: int,
        code: ChannelRecord,
        tests: ChannelRecord,
    ) -> None:
        path = f"{GROUPS}/{group_id}/streams"
        listener = await listen(client, admin)
        assert_success(await client.patch(path, admin, op="add", stream_names=["tests"]))
        assert_success(await client.patch(path, admin, op="remove", stream_names=["code"]))
        assert await channels_of(client, admin) == [[tests.id]]
        shown = [group["streams"] for (group,) in await told(listener)]
        assert shown == [sorted([code.id, tests.id]), [tests.id]]

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("op", "names", "error"),
        [
            ("add", ["tests", "code"], "stream_names: 'code' is in the group already"),
            ("remove", ["code", "tests"], "stream_names: 'tests' is not in the group"),
            ("add", ["nowhere"], "stream_names: Channel 'nowhere' does not exist"),
        ],
    )
    async def test_one_wrong_channel_refuses_all(
        self,
        client: ApiClient,
        admin: Person,
        group_id: int,
        code: ChannelRecord,
        op: str,
        names: list[str],
        error: str,
    ) -> None:
        path = f"{GROUPS}/{group_id}/streams"
        assert assert_error(await client.patch(path, admin, op=op, stream_names=names)) == error
        assert await channels_of(client, admin) == [[code.id]]

    @pytest.mark.parametrize(
        "change",
        [
            {"is_private": True, "history_public_to_subscribers": True},
            {"is_default_stream": True},
            {"is_archived": True},
        ],
        ids=["private", "default", "archived"],
    )
    async def test_channel_that_becomes_unsuitable_leaves_its_groups(
        self,
        client: ApiClient,
        owner: Person,
        group_id: int,
        code: ChannelRecord,
        change: dict[str, object],
    ) -> None:
        listener = await listen(client, owner)
        assert_success(await client.patch(f"/streams/{code.id}", owner, **change))
        assert await channels_of(client, owner) == [[]]
        assert [group["streams"] for (group,) in await told(listener)] == [[]]

    async def test_new_default_channel_leaves_its_groups(
        self, client: ApiClient, admin: Person, group_id: int, code: ChannelRecord
    ) -> None:
        assert_success(await client.post("/default_streams", admin, stream_id=code.id))
        assert await channels_of(client, admin) == [[]]


@pytest.mark.any_database
async def test_guest_who_becomes_a_member_gets_the_groups(
    client: ApiClient, owner: Person, guest: Person, group_id: int
) -> None:
    listener = await listen(client, guest)
    assert_success(await client.patch(f"/users/{guest.user_id}", owner, role=400))
    groups = await groups_seen_by(client, guest)
    assert [group["id"] for group in groups] == [group_id]
    assert await told(listener) == [groups]
    assert_success(await client.patch(f"/users/{guest.user_id}", owner, role=600))
    assert await told(listener) == [[]]
