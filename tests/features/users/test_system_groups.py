"""System groups follow roles, time and accounts, and emit events; on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeUser, Person
from tests.features.groups.groups import add_group, deactivate_group
from tests.features.realm.settings import change_realm
from tests.support.account_changes import change_role
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success

NEW_USER = {"email": "new@example.com", "password": "correct horse", "full_name": "New Person"}
TYPES = ["realm_user", "realm_bot", "realm_user_groups", "user_group"]


async def group_events(listener: Listener) -> list[tuple[str, int, list[int]]]:
    return [
        (event["op"], event["group_id"], event["user_ids"])
        for event in await listener.new_events()
        if event["type"] == "user_group"
    ]


@pytest.fixture
async def listener(client: ApiClient, owner: Person) -> Listener:
    return await listen(client, owner, fetch_event_types=[])


@pytest.mark.any_database
class TestEvents:
    async def test_a_new_user_is_in_a_group(
        self, client: ApiClient, realm: RealmRecord, owner: Person, listener: Listener
    ) -> None:
        user_id = assert_success(await client.post("/users", owner, **NEW_USER))["user_id"]
        events = await listener.new_events()
        assert [event["type"] for event in events] == ["realm_user", "user_group"]
        group_id = realm.system_groups[SystemGroup.FULL_MEMBERS]
        assert (events[1]["op"], events[1]["group_id"]) == ("add_members", group_id)
        assert events[1]["user_ids"] == [user_id]

    @pytest.mark.parametrize(
        ("role", "group"),
        [
            (Role.OWNER, SystemGroup.OWNERS),
            (Role.ADMIN, SystemGroup.ADMINISTRATORS),
            (Role.MODERATOR, SystemGroup.MODERATORS),
            (Role.GUEST, SystemGroup.EVERYONE),
        ],
    )
    async def test_changed_role_moves_the_user_between_groups(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        listener: Listener,
        role: Role,
        group: SystemGroup,
    ) -> None:
        await listener.new_events()
        assert_success(await client.patch(f"/users/{member.user_id}", owner, role=int(role)))
        assert await group_events(listener) == [
            (
                "remove_members",
                realm.system_groups[SystemGroup.FULL_MEMBERS],
                [member.user_id],
            ),
            ("add_members", realm.system_groups[group], [member.user_id]),
        ]

    async def test_deactivation_and_reactivation(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        listener: Listener,
    ) -> None:
        group_id = await add_group(client, owner, [member])
        await listener.new_events()
        assert_success(await client.delete(f"/users/{member.user_id}", owner))
        direct = realm.system_groups[SystemGroup.FULL_MEMBERS]
        assert await group_events(listener) == [
            ("remove_members", direct, [member.user_id]),
            ("remove_members", group_id, [member.user_id]),
        ]
        assert_success(await client.post(f"/users/{member.user_id}/reactivate", owner))
        assert await group_events(listener) == [
            ("add_members", direct, [member.user_id]),
            ("add_members", group_id, [member.user_id]),
        ]

    async def test_events_about_unknown_groups_are_not_delivered(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        """Deactivated groups exist only for clients that say they know them."""
        group_id = await add_group(client, owner, [member])
        await deactivate_group(client, owner, group_id)
        knowing = await listen(
            client, owner, client_capabilities={"include_deactivated_groups": True}
        )
        others = await listen(client, owner)
        assert_success(await client.delete(f"/users/{member.user_id}", owner))
        assert group_id in [event[1] for event in await group_events(knowing)]
        assert group_id not in [event[1] for event in await group_events(others)]

    async def test_role_change_of_deactivated_user_emits_no_group_event(
        self, client: ApiClient, owner: Person, member: Person, listener: Listener
    ) -> None:
        assert_success(await client.delete(f"/users/{member.user_id}", owner))
        await listener.new_events()
        assert_success(await client.patch(f"/users/{member.user_id}", owner, role=600))
        assert await group_events(listener) == []


_REGISTER_OPTIONS: dict[str, object] = {
    "event_types": TYPES,
    "fetch_event_types": TYPES,
    "client_capabilities": {"user_avatar_url_field_optional": True},
}


class View:
    """The state of a client from one registration and the events since."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        state = listener.state
        people = (*state["realm_users"], *state["realm_non_active_users"])
        self.people = {person["user_id"]: person for person in people}
        self.groups = {group["id"]: set(group["members"]) for group in state["realm_user_groups"]}
        self.bots = {bot["user_id"] for bot in state["realm_bots"]}

    async def catch_up(self) -> None:
        for event in await self.listener.new_events():
            match event["type"], event["op"]:
                case "realm_user", "add":
                    self.people[event["person"]["user_id"]] = event["person"]
                case "realm_user", "update":
                    self._change_person(event["person"])
                case "user_group", "add_members":
                    assert not self.groups[event["group_id"]] & set(event["user_ids"])
                    self.groups[event["group_id"]] |= set(event["user_ids"])
                case "user_group", "remove_members":
                    assert self.groups[event["group_id"]] >= set(event["user_ids"])
                    self.groups[event["group_id"]] -= set(event["user_ids"])
                case "realm_bot", "add":
                    assert event["bot"]["user_id"] not in self.bots
                    self.bots.add(event["bot"]["user_id"])
                case "realm_bot", "update":
                    assert event["bot"]["user_id"] in self.bots
                case "realm_bot", "delete":
                    self.bots.remove(event["bot"]["user_id"])
                case other:
                    raise AssertionError(f"an event that was not requested: {other}")

    def _change_person(self, change: dict[str, Any]) -> None:
        person = self.people[change["user_id"]]
        if change.get("is_active") is False:
            self.bots.discard(change["user_id"])
        if "new_email" in change:
            person["email"] = change.pop("new_email")
        if "role" in change:
            person["is_owner"] = change["role"] == Role.OWNER
            person["is_admin"] = change["role"] <= Role.ADMIN
            person["is_guest"] = change["role"] == Role.GUEST
        person |= {key: value for key, value in change.items() if key in person}


async def views_of(client: ApiClient, *people: Person) -> list[View]:
    return [View(await listen(client, person, **_REGISTER_OPTIONS)) for person in people]


class TestView:
    @pytest.mark.any_database
    async def test_from_events_equals_the_database(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        admin: Person,
        make_user: MakeUser,
    ) -> None:
        member, guest = await make_user(), await make_user(Role.GUEST)
        clock.advance(days=4)
        await add_group(client, owner, [member, guest])
        bot = assert_success(
            await client.post("/bots", member, full_name="Robot", short_name="robot")
        )["user_id"]
        views = await views_of(client, owner, admin, member, guest)

        await change_realm(client, owner, waiting_period_threshold=3)
        assert_success(await client.post("/users", admin, **NEW_USER))
        for role in (Role.MODERATOR, Role.OWNER, Role.MEMBER, Role.GUEST, Role.ADMIN, Role.MEMBER):
            await change_role(runtime, realm, guest, role)
        gone = await make_user()
        await make_user(bot_owner=gone)
        await change_realm(client, owner, waiting_period_threshold=5)
        renamed = {"full_name": "Renamed", "new_email": "renamed@example.com"}
        assert_success(await client.patch(f"/users/{gone.user_id}", owner, **renamed))
        assert_success(await client.delete(f"/users/{gone.user_id}", owner))
        assert_success(await client.patch(f"/bots/{bot}", admin, bot_owner_id=guest.user_id))
        assert_success(await client.delete(f"/bots/{bot}", guest))
        assert_success(await client.post(f"/users/{bot}/reactivate", admin))
        await change_role(runtime, realm, member, Role.ADMIN)
        assert_success(await client.post(f"/users/{gone.user_id}/reactivate", owner))
        await change_realm(client, owner, waiting_period_threshold=100)

        fresh = await views_of(client, owner, admin, member, guest)
        for view, truth in zip(views, fresh, strict=True):
            await view.catch_up()
            assert view.people == truth.people
            assert view.groups == truth.groups
            assert view.bots == truth.bots
