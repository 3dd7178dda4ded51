"""GET /realm/audit_log: who may read it, and which entries it returns."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.clock import unix_seconds
from chatapi.core.roles import Role
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.support.audit import audit_log, last_id
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_error, assert_success

PATH = "/realm/audit_log"


async def rename(client: ApiClient, person: Person, *names: str) -> None:
    for name in names:
        assert_success(await client.patch("/realm", person, name=name))


@pytest.mark.any_database
class TestReaders:
    async def test_owners_and_administrators_may_read(
        self, client: ApiClient, owner: Person, admin: Person
    ) -> None:
        for person in (owner, admin):
            assert_success(await client.get(PATH, person))

    async def test_members_and_guests_may_not(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        for person in (member, guest):
            assert_error(await client.get(PATH, person), "UNAUTHORIZED_PRINCIPAL")
        assert_error(await client.get(PATH), "UNAUTHORIZED", 401)

    async def test_bots_may_not_even_with_the_role_of_an_administrator(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(Role.ADMIN, bot_owner=owner)
        assert_error(await client.get(PATH, bot), "UNAUTHORIZED_PRINCIPAL")

    async def test_nothing_of_other_organizations_is_shown(
        self, app: ChatApp, client: ApiClient, realm: RealmRecord, owner: Person
    ) -> None:
        before = await last_id(client, owner)
        other = await factories.make_realm(app.runtime, "Other")
        await factories.make_user(app.runtime, other, Role.OWNER)
        # With two organizations, each has a host of its own.
        here = ApiClient(app, f"{realm.subdomain}.localhost")
        assert await audit_log(here, owner, after_id=before) == []
        await here.aclose()


class TestEntry:
    @pytest.mark.any_database
    async def test_names_actor_setting_values_time_address_and_client(
        self, client: ApiClient, clock: MovableClock, realm: RealmRecord, owner: Person
    ) -> None:
        response = await client.call(
            "PATCH",
            "/realm",
            owner,
            data={"name": "Umbrella"},
            headers={"User-Agent": "ExamplePhone/1.0"},
        )
        assert_success(response)
        entry = (await audit_log(client, owner))[0]
        assert entry == {
            "id": entry["id"],
            "created_at": unix_seconds(clock.now()),
            "kind": "realm_setting_changed",
            "source": "api",
            "acting_user_id": owner.user_id,
            "user_id": None,
            "stream_id": None,
            "group_id": None,
            "property": "name",
            "old_value": realm.name,
            "new_value": "Umbrella",
            "address": "127.0.0.1",
            "client": "ExamplePhone",
        }


class TestFilters:
    async def test_by_actor_user_kind_and_source(
        self, client: ApiClient, owner: Person, admin: Person, member: Person
    ) -> None:
        before = await last_id(client, owner)
        await rename(client, owner, "One")
        await rename(client, admin, "Two")
        assert_success(await client.patch(f"/users/{member.user_id}", admin, role=600))

        async def kinds(**params: object) -> list[str]:
            found = await audit_log(client, owner, after_id=before, **params)
            return [entry["kind"] for entry in found]

        assert await kinds() == ["user_role_changed", *["realm_setting_changed"] * 2]
        assert await kinds(acting_user_id=owner.user_id) == ["realm_setting_changed"]
        assert await kinds(user_id=member.user_id) == ["user_role_changed"]
        assert await kinds(kind="user_role_changed") == ["user_role_changed"]
        assert await kinds(source="command_line") == []
        assert len(await kinds(source="api")) == 3

    async def test_by_channel_and_group(self, client: ApiClient, owner: Person) -> None:
        channel = assert_success(
            await client.post("/channels/create", owner, name="lab", subscribers=[owner.user_id])
        )
        group = assert_success(
            await client.post(
                "/user_groups/create", owner, name="staff", description="", members=[owner.user_id]
            )
        )
        of_channel = await audit_log(client, owner, stream_id=channel["id"])
        assert [entry["kind"] for entry in of_channel] == ["channel_created"]
        of_group = await audit_log(client, owner, group_id=group["group_id"])
        assert [entry["kind"] for entry in of_group] == ["group_members_added", "group_created"]

    async def test_by_time(self, client: ApiClient, clock: MovableClock, owner: Person) -> None:
        clock.advance(hours=1)
        await rename(client, owner, "One")
        clock.advance(hours=1)
        middle = unix_seconds(clock.now())
        await rename(client, owner, "Two")

        async def names(**params: object) -> list[str]:
            found = await audit_log(client, owner, kind="realm_setting_changed", **params)
            return [entry["new_value"] for entry in found]

        assert await names(since=middle) == ["Two"]
        assert await names(until=middle) == ["One"]
        assert await names(since=middle - 3600, until=middle + 1) == ["Two", "One"]


class TestPages:
    async def test_follow_each_other_without_gaps(self, client: ApiClient, owner: Person) -> None:
        before = await last_id(client, owner)
        await rename(client, owner, *"ABCDE")
        seen: list[str] = []
        page = assert_success(await client.get(PATH, owner, after_id=before, limit=2))
        while True:
            seen += [entry["new_value"] for entry in page["entries"]]
            if not page["has_more"]:
                break
            lowest = page["entries"][-1]["id"]
            page = assert_success(
                await client.get(PATH, owner, after_id=before, before_id=lowest, limit=2)
            )
        assert seen == [*"EDCBA"]

    @pytest.mark.any_database
    async def test_have_no_more_when_the_last_entry_fits(
        self, client: ApiClient, owner: Person
    ) -> None:
        before = await last_id(client, owner)
        await rename(client, owner, "A", "B")
        page = assert_success(await client.get(PATH, owner, after_id=before, limit=2))
        assert (len(page["entries"]), page["has_more"]) == (2, False)


@pytest.mark.any_database
class TestBadRequests:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("limit", 0),
            ("limit", 1001),
            ("kind", "user_praised"),
            ("source", "moon"),
            ("since", -1),
            ("until", 10**15),
            ("before_id", "x"),
            ("acting_user_id", -1),
        ],
    )
    async def test_name_the_parameter(
        self, client: ApiClient, owner: Person, name: str, value: object
    ) -> None:
        refused = await client.get(PATH, owner, **{name: value})
        assert name in assert_error(refused)

    async def test_unknown_parameters_are_reported(self, client: ApiClient, owner: Person) -> None:
        page = assert_success(await client.get(PATH, owner, colour="red"))
        assert page["ignored_parameters_unsupported"] == ["colour"]
