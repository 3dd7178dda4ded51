"""Channel folders: created, changed and ordered by administrators, visible to all users."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.core.roles import Role
from chatapi.db.models import ChannelFolder
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.channels.channels import told
from tests.features.channels.folders.folders import (
    FOLDERS,
    add_folder,
    change_folder,
    folders_seen_by,
    names_of_folders,
    try_add_folder,
)
from tests.support.added_rows import add_rows
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

UNKNOWN = "Invalid channel folder ID"


@pytest.mark.any_database
class TestPermissions:
    async def test_anonymous_is_refused(self, client: ApiClient, admin: Person) -> None:
        folder_id = await add_folder(client, admin, "Work")
        for response in (
            await client.get(FOLDERS),
            await try_add_folder(client, None, name="Play"),
            await change_folder(client, None, folder_id, name="Play"),
            await client.patch(FOLDERS, order=[folder_id]),
        ):
            assert_error(response, "UNAUTHORIZED", 401)

    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
    async def test_only_administrators_change_something(
        self, client: ApiClient, make_user: MakeUser, admin: Person, role: Role
    ) -> None:
        person = await make_user(role)
        folder_id = await add_folder(client, admin, "Work")
        for response in (
            await try_add_folder(client, person, name="Play"),
            await change_folder(client, person, folder_id, name="Play"),
            await client.patch(FOLDERS, person, order=[folder_id]),
        ):
            assert_error(response, "UNAUTHORIZED_PRINCIPAL")
        assert await names_of_folders(client, person) == ["Work"]


class TestCreate:
    @pytest.mark.any_database
    async def test_event_is_sent_to_all_users(
        self, client: ApiClient, clock: MovableClock, admin: Person, guest: Person
    ) -> None:
        listener = await listen(client, guest, event_types=["channel_folder"])
        response = await try_add_folder(client, admin, name=" Work ", description="*All* of it")
        folder_id = assert_success(response)["channel_folder_id"]
        folder = {
            "id": folder_id,
            "name": "Work",
            "description": "*All* of it",
            "rendered_description": "<p><em>All</em> of it</p>",
            "order": 1,
            "date_created": unix_seconds(clock.now()),
            "creator_id": admin.user_id,
            "is_archived": False,
        }
        assert await told(listener, "channel_folder") == [
            {"type": "channel_folder", "op": "add", "channel_folder": folder}
        ]
        assert await folders_seen_by(client, guest) == [folder]
        registered = await listen(client, guest, fetch_event_types=["channel_folders"])
        assert registered.state["channel_folders"] == [folder]

    @pytest.mark.any_database
    async def test_puts_it_after_the_others(self, client: ApiClient, admin: Person) -> None:
        for name in ("b", "c", "a"):
            await add_folder(client, admin, name)
        assert await names_of_folders(client, admin) == ["b", "c", "a"]

    @pytest.mark.parametrize("name", ["work", "WORK", " Work "])
    async def test_names_differ_in_more_than_case(
        self, client: ApiClient, admin: Person, name: str
    ) -> None:
        folder_id = await add_folder(client, admin, "Work")
        refusal = assert_error(await try_add_folder(client, admin, name=name))
        assert refusal == "name: Channel folder name is already in use"
        # An archived folder can be unarchived.
        assert_success(await change_folder(client, admin, folder_id, is_archived=True))
        assert_error(await try_add_folder(client, admin, name=name))

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({}, "Missing 'name' argument"),
            ({"name": ""}, "name cannot be empty"),
            ({"name": "  "}, "name cannot be empty"),
            ({"name": "a\x07b"}, "name contains invalid characters"),
            ({"name": "a\0b"}, "name must not contain NUL characters"),
            ({"name": "x" * 61}, "name is too long (limit: 60 characters)"),
            (
                {"name": "Work", "description": "x" * 1025},
                "description is too long (limit: 1024 characters)",
            ),
            (
                {"name": "Work", "description": "a\0b"},
                "description must not contain NUL characters",
            ),
        ],
    )
    async def test_refuses_bad_values(
        self, client: ApiClient, admin: Person, params: dict[str, object], message: str
    ) -> None:
        assert assert_error(await try_add_folder(client, admin, **params)) == message
        assert await folders_seen_by(client, admin) == []

    @pytest.mark.any_database
    async def test_a_description_must_be_passed(self, client: ApiClient, admin: Person) -> None:
        response = await client.post(f"{FOLDERS}/create", admin, name="Work")
        assert assert_error(response) == "Missing 'description' argument"

    @pytest.mark.any_database
    async def test_accepts_names_of_the_maximum_length(
        self, client: ApiClient, admin: Person
    ) -> None:
        await add_folder(client, admin, "x" * 60, "y" * 1024)

    @pytest.mark.any_database
    async def test_number_is_limited(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person
    ) -> None:
        folder = {"description": "", "rendered_description": "", "is_archived": False}
        folders = [
            {**folder, "name": name, "name_key": name, "position": number}
            for number, name in enumerate(f"folder {number}" for number in range(499))
        ]
        now = runtime.clock.now()
        await add_rows(runtime, ChannelFolder, folders, realm_id=realm.id, date_created=now)
        await add_folder(client, admin, "The last one")
        refusal = assert_error(await try_add_folder(client, admin, name="One more"))
        assert refusal == "An organization can have 500 channel folders at most"

    @pytest.mark.any_database
    async def test_other_organizations_have_their_own(
        self,
        client: ApiClient,
        app: ChatApp,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
    ) -> None:
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other, Role.OWNER)
        here, there = ApiClient(app, "acme.localhost"), ApiClient(app, "elsewhere.localhost")
        folder_id = await add_folder(here, admin, "Work")
        await add_folder(there, stranger, "Work")
        assert assert_error(await change_folder(there, stranger, folder_id, name="Play")) == UNKNOWN
        assert assert_error(await there.patch(FOLDERS, stranger, order=[folder_id]))
        assert await names_of_folders(here, admin) == ["Work"]
        await here.aclose()
        await there.aclose()


class TestChange:
    async def test_event_contains_the_changes(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        folder_id = await add_folder(client, admin, "Work", "All of it")
        listener = await listen(client, member, event_types=["channel_folder"])
        for changes in (
            {"name": "Play"},
            {"name": "PLAY", "description": "All of it"},
            {"description": "Some of it"},
            {"is_archived": True},
            {"is_archived": False},
        ):
            assert assert_success(await change_folder(client, admin, folder_id, **changes)) == {}
        told_of = await told(listener, "channel_folder")
        assert {(event["op"], event["channel_folder_id"]) for event in told_of} == {
            ("update", folder_id)
        }
        assert [event["data"] for event in told_of] == [
            {"name": "Play"},
            {"name": "PLAY"},
            {"description": "Some of it", "rendered_description": "<p>Some of it</p>"},
            {"is_archived": True},
            {"is_archived": False},
        ]
        [folder] = await folders_seen_by(client, member)
        assert (folder["name"], folder["description"]) == ("PLAY", "Some of it")

    @pytest.mark.any_database
    async def test_unchanged_values_emit_no_event(self, client: ApiClient, admin: Person) -> None:
        folder_id = await add_folder(client, admin, "Work", "All of it")
        listener = await listen(client, admin, event_types=["channel_folder"])
        same = {"name": "Work", "description": "All of it", "is_archived": False}
        for changes in ({}, same):
            assert_success(await change_folder(client, admin, folder_id, **changes))
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_archived_folders_are_listed_on_request(
        self, client: ApiClient, admin: Person
    ) -> None:
        folder_id = await add_folder(client, admin, "Work")
        await add_folder(client, admin, "Play")
        assert_success(await change_folder(client, admin, folder_id, is_archived=True))
        assert await names_of_folders(client, admin) == ["Play"]
        assert await names_of_folders(client, admin, include_archived=True) == ["Work", "Play"]
        state = (await listen(client, admin)).state["channel_folders"]
        assert [folder["is_archived"] for folder in state] == [True, False]

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"name": "play"}, "name: Channel folder name is already in use"),
            ({"name": " "}, "name cannot be empty"),
            ({"name": "x" * 61}, "name is too long (limit: 60 characters)"),
            ({"description": "x" * 1025}, "description is too long (limit: 1024 characters)"),
            ({"is_archived": "maybe"}, 'Argument "is_archived" is not valid JSON.'),
            ({"is_archived": 1}, "is_archived is not a boolean"),
        ],
    )
    async def test_is_all_or_nothing(
        self, client: ApiClient, admin: Person, changes: dict[str, object], message: str
    ) -> None:
        folder_id = await add_folder(client, admin, "Work")
        await add_folder(client, admin, "Play")
        before = await folders_seen_by(client, admin)
        wishes = {"name": "New", "description": "New", **changes}
        assert assert_error(await change_folder(client, admin, folder_id, **wishes)) == message
        assert await folders_seen_by(client, admin) == before

    @pytest.mark.any_database
    @pytest.mark.parametrize("folder_id", [0, 4711, 2**63 - 1])
    async def test_refuses_unknown_ids(
        self, client: ApiClient, admin: Person, folder_id: int
    ) -> None:
        assert assert_error(await change_folder(client, admin, folder_id, name="Play")) == UNKNOWN


class TestReorder:
    async def test_event_is_sent_to_all_users(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        a, b, c = [await add_folder(client, admin, name) for name in "abc"]
        assert_success(await change_folder(client, admin, b, is_archived=True))
        listener = await listen(client, member, event_types=["channel_folder"])
        assert assert_success(await client.patch(FOLDERS, admin, order=[c, b, a])) == {}
        assert await told(listener, "channel_folder") == [
            {"type": "channel_folder", "op": "reorder", "order": [c, b, a]}
        ]
        assert await names_of_folders(client, member) == ["c", "a"]
        folders = await folders_seen_by(client, member, include_archived=True)
        assert [(folder["id"], folder["order"]) for folder in folders] == [(c, 1), (b, 2), (a, 3)]
        assert_success(await client.patch(FOLDERS, admin, order=[c, b, a]))
        assert await listener.new_events() == []
        assert [
            folder["id"] for folder in (await listen(client, member)).state["channel_folders"]
        ] == [
            c,
            b,
            a,
        ]

    @pytest.mark.parametrize("order", [[], [1], [1, 1], [1, 2, 4711], [2, 1, 1]])
    async def test_order_must_contain_each_folder_once(
        self, client: ApiClient, admin: Person, order: list[int]
    ) -> None:
        ids = [await add_folder(client, admin, name) for name in "ab"]
        places = {1: ids[0], 2: ids[1]}
        wish = [places.get(place, place) for place in order]
        refusal = assert_error(await client.patch(FOLDERS, admin, order=wish))
        assert refusal == "order must contain the id of every folder exactly once"
        assert await names_of_folders(client, admin) == ["a", "b"]

    @pytest.mark.parametrize(
        ("order", "message"),
        [
            ("a", 'Argument "order" is not valid JSON.'),
            ({"a": 1}, "order is not a list"),
            (["a"], "order[0] is not an integer"),
            ([1] * 501, "order has too many entries (limit: 500)"),
        ],
    )
    async def test_refuses_bad_values(
        self, client: ApiClient, admin: Person, order: object, message: str
    ) -> None:
        assert assert_error(await client.patch(FOLDERS, admin, order=order)) == message
