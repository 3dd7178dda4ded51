"""Changing, deactivating and reactivating accounts of other users, on both databases."""

import asyncio
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import EmailVisibility, Role
from chatapi.features.users.profile_fields.field_types import FieldType
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.users.people import hide_email, made_up_email, user_seen_by
from tests.features.users.profile_fields.fields import add_field
from tests.support.account_changes import change_role, deactivate
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.waiting import until, until_polls_wait

ADMIN_NEEDED = "UNAUTHORIZED_PRINCIPAL"
LAST_USER = "CANNOT_DEACTIVATE_LAST_USER"
PASSWORD = "correct horse"
BELOW_ADMIN = [Role.MODERATOR, Role.MEMBER, Role.GUEST]


@pytest.fixture
async def bot(make_user: MakeUser, member: Person) -> Person:
    return await make_user(bot_owner=member)


async def role_of(client: ApiClient, person: Person, reader: Person) -> Role:
    return Role((await user_seen_by(client, person, reader))["role"])


async def log_in(client: ApiClient, person: Person) -> ApiResponse:
    return await client.post("/fetch_api_key", username=person.email, password=PASSWORD)


async def told_people(listener: Listener) -> list[dict[str, Any]]:
    return [
        event["person"] for event in await listener.new_events() if event["type"] == "realm_user"
    ]


@pytest.mark.any_database
class TestChangeUser:
    async def test_name_by_id_and_by_email(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        listener = await listen(client, member, fetch_event_types=[])
        assert_success(await client.patch(f"/users/{member.user_id}", admin, full_name="First"))
        assert_success(await client.patch(f"/users/{member.email}", admin, full_name=" Second "))
        assert (await user_seen_by(client, member, admin))["full_name"] == "Second"
        assert await told_people(listener) == [
            {"user_id": member.user_id, "full_name": "First"},
            {"user_id": member.user_id, "full_name": "Second"},
        ]

    async def test_unchanged_values_emit_no_event(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        listener = await listen(client, member, fetch_event_types=[])
        same = {"full_name": member.full_name, "role": 400, "new_email": member.email}
        response = await client.patch(f"/users/{member.user_id}", admin, **same, unknown=1)
        assert assert_success(response) == {"ignored_parameters_unsupported": ["unknown"]}
        assert await listener.new_events() == []

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "complaint"),
        [
            ({"full_name": ""}, "full_name"),
            ({"full_name": "Bad`Name"}, "full_name"),
            ({"role": 500}, "role"),
            ({"role": "admin"}, "role"),
            ({"new_email": "nowhere"}, "email"),
            ({"profile_data": [{"id": 9, "value": "x"}]}, "9"),
            ({"profile_data": {"id": 9}}, "profile_data"),
        ],
    )
    async def test_refuses_bad_values(
        self,
        client: ApiClient,
        admin: Person,
        member: Person,
        params: dict[str, object],
        complaint: str,
    ) -> None:
        before = await user_seen_by(client, member, admin)
        response = await client.patch(f"/users/{member.user_id}", admin, **params)
        assert complaint in assert_error(response)
        assert await user_seen_by(client, member, admin) == before

    async def test_all_or_nothing(self, client: ApiClient, admin: Person, member: Person) -> None:
        listener = await listen(client, member, fetch_event_types=[])
        response = await client.patch(
            f"/users/{member.user_id}", admin, full_name="New", new_email=admin.email
        )
        assert f"{admin.email} is already in use" in assert_error(response)
        assert (await user_seen_by(client, member, admin))["full_name"] == member.full_name
        assert await listener.new_events() == []

    @pytest.mark.parametrize("reference", ["999999", "nobody@example.com"])
    async def test_unknown_users(self, client: ApiClient, admin: Person, reference: str) -> None:
        response = await client.patch(f"/users/{reference}", admin, full_name="New")
        assert assert_error(response) == "No such user"

    async def test_users_of_other_organizations_do_not_exist(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person
    ) -> None:
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other)
        client.http.base_url = "http://acme.localhost"
        path = f"/users/{stranger.user_id}"
        assert assert_error(await client.patch(path, owner, full_name="New")) == "No such user"
        assert assert_error(await client.delete(path, owner)) == "No such user"
        assert assert_error(await client.post(f"{path}/reactivate", owner)) == "No such user"

    @pytest.mark.parametrize("role", BELOW_ADMIN)
    async def test_only_for_administrators(
        self, client: ApiClient, make_user: MakeUser, member: Person, role: Role
    ) -> None:
        actor = await make_user(role)
        for reference in (member.user_id, actor.user_id):
            for params in ({}, {"full_name": "New"}, {"role": 100}, {"new_email": "x@example.com"}):
                response = await client.patch(f"/users/{reference}", actor, **params)
                assert_error(response, ADMIN_NEEDED)

    async def test_deactivated_users_can_be_changed(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person, member: Person
    ) -> None:
        await deactivate(runtime, realm, member)
        changes = {"full_name": "Gone", "role": 600}
        assert_success(await client.patch(f"/users/{member.user_id}", admin, **changes))
        seen = await user_seen_by(client, member, admin)
        assert (seen["full_name"], seen["role"], seen["is_active"]) == ("Gone", 600, False)


@pytest.mark.any_database
class TestChangeEmail:
    async def test_emits_an_event_and_is_used_to_log_in(
        self, client: ApiClient, admin: Person, make_user: MakeUser
    ) -> None:
        person = await make_user(password=PASSWORD)
        listener = await listen(client, admin, fetch_event_types=[])
        response = await client.patch(
            f"/users/{person.user_id}", admin, new_email="new@example.com"
        )
        assert_success(response)
        told: dict[str, Any] = {}
        for change in await told_people(listener):
            told |= change
        assert told["delivery_email"] == told["new_email"] == "new@example.com"
        renamed = Person(person.user_id, "new@example.com", person.api_key)
        assert_error(await client.get("/users/me", person), "UNAUTHORIZED", 401)
        assert_success(await client.get("/users/me", renamed))
        assert_success(await log_in(client, renamed))

    async def test_visibility_of_the_address_is_unchanged(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await hide_email(client, member, EmailVisibility.NOBODY)
        path = f"/users/{made_up_email(member)}"
        assert_success(await client.patch(path, owner, new_email="hidden@example.com"))
        seen = await user_seen_by(client, member, owner)
        assert (seen["email"], seen["delivery_email"]) == (made_up_email(member), None)

    async def test_administrator_cannot_change_email_of_an_owner(
        self, client: ApiClient, owner: Person, admin: Person
    ) -> None:
        params = {"new_email": "takeover@example.com"}
        assert_error(await client.patch(f"/users/{owner.user_id}", admin, **params), ADMIN_NEEDED)


@pytest.mark.any_database
class TestChangeProfile:
    async def test_writes_into_a_field_that_users_cannot_edit(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        field = await add_field(client, admin, FieldType.SHORT_TEXT, editable_by_user=False)
        listener = await listen(client, member, fetch_event_types=[])
        data = [{"id": field, "value": "*tea*"}]
        path = f"/users/{member.user_id}"
        assert_success(await client.patch(path, admin, profile_data=data))
        (told,) = await told_people(listener)
        assert told["user_id"] == member.user_id
        assert told["custom_profile_field"]["value"] == "*tea*"
        seen = await user_seen_by(client, member, admin, include_custom_profile_fields=True)
        assert seen["profile_data"][str(field)]["value"] == "*tea*"
        empty = [{"id": field, "value": None}]
        assert_success(await client.patch(path, admin, profile_data=empty))
        seen = await user_seen_by(client, member, admin, include_custom_profile_fields=True)
        assert seen["profile_data"] == {}

    async def test_bots_have_none(self, client: ApiClient, admin: Person, bot: Person) -> None:
        response = await client.patch(f"/users/{bot.user_id}", admin, profile_data=[])
        assert assert_error(response) == "Bots have no profile."


class TestChangeRole:
    @pytest.mark.any_database
    @pytest.mark.parametrize("new", [Role.ADMIN, Role.MODERATOR, Role.GUEST])
    async def test_administrators_assign_roles_below_owner(
        self, client: ApiClient, admin: Person, member: Person, new: Role
    ) -> None:
        listener = await listen(client, admin, event_types=["realm_user"], fetch_event_types=[])
        assert_success(await client.patch(f"/users/{member.user_id}", admin, role=int(new)))
        assert await role_of(client, member, admin) is new
        assert await told_people(listener) == [{"user_id": member.user_id, "role": new}]

    @pytest.mark.any_database
    async def test_administrators_demote_administrators(
        self, client: ApiClient, admin: Person, make_user: MakeUser
    ) -> None:
        other = await make_user(Role.ADMIN)
        assert_success(await client.patch(f"/users/{other.user_id}", admin, role=400))
        assert_error(await client.patch(f"/users/{admin.user_id}", other, role=400), ADMIN_NEEDED)

    @pytest.mark.any_database
    async def test_only_owners_promote_and_demote_owners(
        self, client: ApiClient, owner: Person, admin: Person, member: Person
    ) -> None:
        for person, role in ((member, 100), (owner, 200), (admin, 100)):
            response = await client.patch(f"/users/{person.user_id}", admin, role=role)
            assert assert_error(response, ADMIN_NEEDED) == "Must be an organization owner"
        assert_success(await client.patch(f"/users/{member.user_id}", owner, role=100))
        assert_success(await client.patch(f"/users/{owner.user_id}", member, role=300))
        assert await role_of(client, owner, member) is Role.MODERATOR

    @pytest.mark.any_database
    async def test_only_owners_change_their_own_role(
        self, client: ApiClient, owner: Person, admin: Person
    ) -> None:
        response = await client.patch(f"/users/{admin.user_id}", admin, role=400)
        assert "your own role" in assert_error(response)

    @pytest.mark.any_database
    async def test_last_owner_cannot_be_demoted(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        """A bot with the owner role does not count as an owner who can manage the realm."""
        bot = await make_user(Role.OWNER, bot_owner=owner)
        for actor in (owner, bot):
            response = await client.patch(f"/users/{owner.user_id}", actor, role=200)
            assert_error(response, LAST_USER, is_last_owner=True, entity="organization owner")
        second = await make_user(Role.OWNER)
        assert_success(await client.patch(f"/users/{owner.user_id}", owner, role=200))
        assert_error(await client.patch(f"/users/{second.user_id}", second, role=200), LAST_USER)
        assert_success(await client.patch(f"/users/{bot.user_id}", second, role=400))

    async def test_owners_demoting_each_other_concurrently_leave_one(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        second = await make_user(Role.OWNER)
        responses = await asyncio.gather(
            client.patch(f"/users/{second.user_id}", owner, role=400),
            client.patch(f"/users/{owner.user_id}", second, role=400),
        )
        assert sorted(response.status for response in responses) == [200, 400]
        users = assert_success(await client.get("/users", owner))["members"]
        assert sum(user["is_owner"] for user in users) == 1

    async def test_caller_demoted_while_waiting_for_the_lock_is_refused(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person, member: Person
    ) -> None:
        turn = runtime.database.writer_turn(realm.id)
        async with runtime.begin().db as blocker:
            await blocker.lock_realm(realm.id)
            demotion = asyncio.ensure_future(change_role(runtime, realm, admin, Role.MEMBER))
            await until(lambda: turn.waiting == 1)
            promotion = asyncio.ensure_future(
                client.patch(f"/users/{member.user_id}", admin, role=200)
            )
            await until(lambda: turn.waiting == 2)
        await demotion
        assert_error(await promotion, ADMIN_NEEDED)
        assert await role_of(client, member, admin) is Role.MEMBER


@pytest.mark.any_database
class TestBotsOfUsers:
    async def test_owners_rename_their_bots(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        assert_success(await client.patch(f"/users/{bot.user_id}", member, full_name="Robot"))
        assert (await user_seen_by(client, bot, member))["full_name"] == "Robot"

    @pytest.mark.parametrize("params", [{"role": 200}, {"new_email": "robot@example.com"}])
    async def test_owners_cannot_change_anything_else_of_their_bots(
        self, client: ApiClient, member: Person, bot: Person, params: dict[str, object]
    ) -> None:
        response = await client.patch(f"/users/{bot.user_id}", member, **params)
        assert_error(response, ADMIN_NEEDED)

    async def test_administrators_change_roles_of_bots(
        self, client: ApiClient, admin: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=admin)
        assert_success(await client.patch(f"/users/{bot.user_id}", admin, role=200))
        assert await role_of(client, bot, admin) is Role.ADMIN
        assert_error(await client.patch(f"/users/{bot.user_id}", admin, role=100), ADMIN_NEEDED)


class TestDeactivateUser:
    async def test_ends_key_and_polls_of_user_and_bots_at_once(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        member: Person,
        bot: Person,
    ) -> None:
        watcher = await listen(client, admin, fetch_event_types=[])
        theirs = [await listen(client, who, fetch_event_types=[]) for who in (member, bot)]
        polls = [asyncio.create_task(listener.poll()) for listener in theirs]
        await until_polls_wait(runtime, realm, 2)
        assert_success(await client.delete(f"/users/{member.user_id}", admin))
        for poll, who in zip(polls, (member, bot), strict=True):
            assert_error(await poll, "UNAUTHORIZED", 401)
            assert_error(await client.get("/users/me", who), "UNAUTHORIZED", 401)
            assert (await user_seen_by(client, who, admin))["is_active"] is False
        assert await told_people(watcher) == [
            {"user_id": member.user_id, "is_active": False},
            {"user_id": bot.user_id, "is_active": False},
        ]

    @pytest.mark.any_database
    async def test_ends_logins(self, client: ApiClient, admin: Person, make_user: MakeUser) -> None:
        person = await make_user(password=PASSWORD)
        logged_in = assert_success(await log_in(client, person))
        assert_success(await client.delete(f"/users/{person.email}", admin))
        device = Person(person.user_id, person.email, logged_in["api_key"])
        assert_error(await client.get("/users/me", device), "UNAUTHORIZED", 401)
        response = await log_in(client, person)
        assert_error(response, "AUTHENTICATION_FAILED", 401)

    @pytest.mark.any_database
    async def test_request_to_delete_the_users_messages_is_refused(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        path = f"/users/{member.user_id}"
        for actions in ({"delete_profile": True}, {"delete_direct_messages": True}):
            assert "actions" in assert_error(await client.delete(path, admin, actions=actions))
        assert "actions" in assert_error(await client.delete(path, admin, actions={"burn": True}))
        assert (await user_seen_by(client, member, admin))["is_active"] is True
        response = await client.delete(
            path,
            admin,
            actions={"delete_profile": False},
            deactivation_notification_comment="Farewell",
        )
        ignored = ["deactivation_notification_comment"]
        assert assert_success(response) == {"ignored_parameters_unsupported": ignored}

    @pytest.mark.any_database
    async def test_actions_in_the_query_string_are_read_as_well(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        response = await client.call(
            "DELETE",
            f"/users/{member.user_id}",
            admin,
            params={"actions": '{"delete_profile": true}'},
        )
        assert "actions" in assert_error(response)

    @pytest.mark.any_database
    async def test_deactivated_user_cannot_be_deactivated_again(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        assert_success(await client.delete(f"/users/{member.user_id}", admin))
        listener = await listen(client, admin, fetch_event_types=[])
        assert "already" in assert_error(await client.delete(f"/users/{member.user_id}", admin))
        assert await listener.new_events() == []

    @pytest.mark.any_database
    @pytest.mark.parametrize("role", BELOW_ADMIN)
    async def test_only_for_administrators(
        self, client: ApiClient, make_user: MakeUser, member: Person, role: Role
    ) -> None:
        actor = await make_user(role)
        assert_error(await client.delete(f"/users/{member.user_id}", actor), ADMIN_NEEDED)

    @pytest.mark.any_database
    async def test_only_owners_deactivate_owners(
        self, client: ApiClient, owner: Person, admin: Person, make_user: MakeUser
    ) -> None:
        second = await make_user(Role.OWNER)
        response = await client.delete(f"/users/{second.user_id}", admin)
        assert assert_error(response, ADMIN_NEEDED) == "Must be an organization owner"
        assert_success(await client.delete(f"/users/{second.user_id}", owner))
        response = await client.delete(f"/users/{owner.user_id}", owner)
        assert_error(response, LAST_USER, is_last_owner=True, entity="organization owner")

    @pytest.mark.any_database
    async def test_unknown_users(self, client: ApiClient, admin: Person) -> None:
        assert assert_error(await client.delete("/users/999999", admin)) == "No such user"


class TestDeactivateOwnUser:
    @pytest.mark.any_database
    @pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER, Role.GUEST])
    async def test_every_role_can_deactivate_itself(
        self, client: ApiClient, owner: Person, make_user: MakeUser, role: Role
    ) -> None:
        person = await make_user(role)
        listener = await listen(client, owner, fetch_event_types=[])
        response = await client.delete("/users/me", person, because="bored")
        assert assert_success(response) == {"ignored_parameters_unsupported": ["because"]}
        assert_error(await client.get("/users/me", person), "UNAUTHORIZED", 401)
        assert await told_people(listener) == [{"user_id": person.user_id, "is_active": False}]

    @pytest.mark.any_database
    async def test_last_owner_cannot_deactivate_itself(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        response = await client.delete("/users/me", owner)
        assert_error(response, LAST_USER, is_last_owner=True, entity="organization owner")
        second = await make_user(Role.OWNER)
        assert_success(await client.delete("/users/me", owner))
        assert_error(await client.delete("/users/me", second), LAST_USER)

    async def test_two_owners_deactivating_themselves_concurrently_leave_one(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        second = await make_user(Role.OWNER)
        responses = await asyncio.gather(
            client.delete("/users/me", owner), client.delete("/users/me", second)
        )
        assert sorted(response.status for response in responses) == [200, 400]


@pytest.mark.any_database
class TestReactivateUser:
    async def test_the_password_works_again_and_old_keys_do_not(
        self, client: ApiClient, admin: Person, make_user: MakeUser
    ) -> None:
        person = await make_user(password=PASSWORD)
        assert_success(await client.delete(f"/users/{person.user_id}", admin))
        listener = await listen(client, admin, fetch_event_types=[])
        response = await client.post(f"/users/{person.user_id}/reactivate", admin, welcome="back")
        assert assert_success(response) == {"ignored_parameters_unsupported": ["welcome"]}
        assert await told_people(listener) == [{"user_id": person.user_id, "is_active": True}]
        assert_error(await client.get("/users/me", person), "UNAUTHORIZED", 401)
        logged_in = assert_success(await log_in(client, person))
        back = Person(person.user_id, person.email, logged_in["api_key"])
        assert assert_success(await client.get("/users/me", back))["is_active"] is True

    async def test_active_users_are_refused(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        response = await client.post(f"/users/{member.user_id}/reactivate", admin)
        assert "already active" in assert_error(response)

    async def test_only_owners_reactivate_owners(
        self, client: ApiClient, owner: Person, admin: Person, make_user: MakeUser
    ) -> None:
        second = await make_user(Role.OWNER)
        assert_success(await client.delete(f"/users/{second.user_id}", owner))
        path = f"/users/{second.user_id}/reactivate"
        assert_error(await client.post(path, admin), ADMIN_NEEDED)
        assert_success(await client.post(path, owner))

    @pytest.mark.parametrize("role", BELOW_ADMIN)
    async def test_only_for_administrators(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_user: MakeUser,
        member: Person,
        role: Role,
    ) -> None:
        actor = await make_user(role)
        await deactivate(runtime, realm, member)
        assert_error(await client.post(f"/users/{member.user_id}/reactivate", actor), ADMIN_NEEDED)

    async def test_bot_keeps_its_active_owner(
        self, client: ApiClient, admin: Person, member: Person, bot: Person
    ) -> None:
        assert_success(await client.delete(f"/users/{bot.user_id}", admin))
        assert_success(await client.post(f"/users/{bot.user_id}/reactivate", admin))
        seen = await user_seen_by(client, bot, admin)
        assert (seen["is_active"], seen["bot_owner_id"]) == (True, member.user_id)

    async def test_bot_without_active_owner_becomes_the_callers(
        self, client: ApiClient, admin: Person, member: Person, bot: Person
    ) -> None:
        assert_success(await client.delete(f"/users/{member.user_id}", admin))
        listener = await listen(client, admin, fetch_event_types=[])
        assert_success(await client.post(f"/users/{bot.user_id}/reactivate", admin))
        assert (await user_seen_by(client, bot, admin))["bot_owner_id"] == admin.user_id
        assert await told_people(listener) == [
            {"user_id": bot.user_id, "bot_owner_id": admin.user_id},
            {"user_id": bot.user_id, "is_active": True},
        ]
        assert_success(await client.post(f"/users/{member.user_id}/reactivate", admin))

    async def test_bot_cannot_become_owner_of_a_bot(
        self, client: ApiClient, owner: Person, member: Person, bot: Person, make_user: MakeUser
    ) -> None:
        robot = await make_user(Role.ADMIN, bot_owner=owner)
        assert_success(await client.delete(f"/users/{member.user_id}", owner))
        response = await client.post(f"/users/{bot.user_id}/reactivate", robot)
        assert "bots can't own" in assert_error(response)
