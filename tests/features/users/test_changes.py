"""Changes of a user's role, account and key, and what they end at once; on both databases."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.features.users.errors import CannotDeactivateLastUserError
from tests.factories import MakeUser, Person
from tests.support.account_changes import change_role, deactivate, replace_api_key
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until_polls_wait, until_true

NEW_USER = {"email": "new@example.com", "password": "correct horse", "full_name": "New Person"}


class TestChangeRole:
    async def test_permissions_change_at_once(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        assert_error(await client.post("/users", member, **NEW_USER), "UNAUTHORIZED_PRINCIPAL")
        await change_role(runtime, realm, member, Role.ADMIN)
        assert_success(await client.post("/users", member, **NEW_USER))
        await change_role(runtime, realm, member, Role.GUEST)
        other = {**NEW_USER, "email": "other@example.com"}
        assert_error(await client.post("/users", member, **other), "UNAUTHORIZED_PRINCIPAL")

    @pytest.mark.any_database
    async def test_own_record_shows_the_new_role(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        assert assert_success(await client.get("/users/me", member))["role"] == Role.MEMBER
        await change_role(runtime, realm, member, Role.MODERATOR)
        assert assert_success(await client.get("/users/me", member))["role"] == Role.MODERATOR

    async def test_waiting_polls_continue(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["realm_user"], fetch_event_types=[])
        polling = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        await change_role(runtime, realm, member, Role.ADMIN)
        (event,) = await polling
        assert event["person"] == {"user_id": member.user_id, "role": Role.ADMIN}

    @pytest.mark.any_database
    async def test_last_owner_cannot_be_demoted(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, admin: Person
    ) -> None:
        with pytest.raises(CannotDeactivateLastUserError):
            await change_role(runtime, realm, owner, Role.ADMIN)
        await change_role(runtime, realm, owner, Role.OWNER)
        assert assert_success(await client.get("/users/me", owner))["is_owner"] is True

    @pytest.mark.any_database
    async def test_one_of_two_owners_may_be_demoted(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, admin: Person
    ) -> None:
        await change_role(runtime, realm, admin, Role.OWNER)
        await change_role(runtime, realm, owner, Role.MEMBER)
        with pytest.raises(CannotDeactivateLastUserError):
            await change_role(runtime, realm, admin, Role.MEMBER)


class TestDeactivate:
    async def test_ends_the_key_at_once(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        assert_success(await client.get("/users/me", member))
        await deactivate(runtime, realm, member)
        assert_error(await client.get("/users/me", member), "UNAUTHORIZED", 401)

    async def test_ends_waiting_polls(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        listener = await listen(client, member, fetch_event_types=[])
        polling = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        await deactivate(runtime, realm, member)
        assert_error(await polling, "UNAUTHORIZED", 401)

    async def test_ends_the_key_in_other_processes(
        self,
        client: ApiClient,
        start_app: StartApp,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
    ) -> None:
        elsewhere = ApiClient(await start_app())
        assert_success(await elsewhere.get("/users/me", member))
        await deactivate(runtime, realm, member)

        async def is_shut_out() -> bool:
            return (await elsewhere.get("/users/me", member)).status == 401

        await until_true(is_shut_out)
        await elsewhere.aclose()

    async def test_last_owner_cannot_be_deactivated(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, admin: Person
    ) -> None:
        with pytest.raises(CannotDeactivateLastUserError) as refusal:
            await deactivate(runtime, realm, owner)
        assert refusal.value.extra() == {"is_last_owner": True, "entity": "organization owner"}
        assert_success(await client.get("/users/me", owner))

    @pytest.mark.any_database
    async def test_deactivated_owner_does_not_count_as_owner(
        self, runtime: Runtime, realm: RealmRecord, owner: Person, make_user: MakeUser
    ) -> None:
        second = await make_user(Role.OWNER)
        await deactivate(runtime, realm, second)
        with pytest.raises(CannotDeactivateLastUserError):
            await deactivate(runtime, realm, owner)
        await deactivate(runtime, realm, second)


class TestReplaceApiKey:
    @pytest.mark.any_database
    async def test_the_old_key_ends_and_the_new_one_works(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        assert_success(await client.get("/users/me", member))
        api_key = await replace_api_key(runtime, realm, member)
        assert_error(await client.get("/users/me", member), "UNAUTHORIZED", 401)
        renewed = Person(member.user_id, member.email, api_key)
        assert_success(await client.get("/users/me", renewed))

    async def test_queues_and_waiting_polls_end_with_the_old_key(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        listener = await listen(client, member, fetch_event_types=[])
        polling = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        api_key = await replace_api_key(runtime, realm, member)
        assert_error(await polling, "UNAUTHORIZED", 401)
        listener.person = Person(member.user_id, member.email, api_key)
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
