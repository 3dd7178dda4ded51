"""Known account takeover attacks on such systems, tried on this one, on both databases."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import TypeVar

import pytest
from sqlalchemy import update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import BotType, Role
from chatapi.db.models import User
from chatapi.db.session import DatabaseSession
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.uploads.files import open_file, upload
from tests.features.users.people import made_up_email, user_seen_by
from tests.support.account_changes import deactivate, replace_api_key
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.waiting import until, until_polls_wait

T = TypeVar("T")
ADMIN_NEEDED = "UNAUTHORIZED_PRINCIPAL"
BOT = {"full_name": "Weather", "short_name": "weather"}
PASSWORD = "correct horse"
REFUSED = ("UNAUTHORIZED", 401)


@pytest.fixture
async def bot(make_user: MakeUser, member: Person) -> Person:
    return await make_user(bot_owner=member)


async def log_in(client: ApiClient, username: str) -> ApiResponse:
    return await client.post("/fetch_api_key", username=username, password=PASSWORD)


async def answer_behind(
    runtime: Runtime, realm: RealmRecord, change: Awaitable[T], request: Awaitable[ApiResponse]
) -> ApiResponse:
    """Let a change and a request wait for the realm's lock, the change first."""
    turn = runtime.database.writer_turn(realm.id)
    async with runtime.begin().db as blocker:
        await blocker.lock_realm(realm.id)
        changing = asyncio.ensure_future(change)
        await until(lambda: turn.waiting == 1)
        requesting = asyncio.ensure_future(request)
        await until(lambda: turn.waiting == 2)
    await changing
    return await requesting


class TestSecretsInResponses:
    async def test_keys_of_bots_are_in_no_list(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        created = assert_success(await client.post("/bots", member, **BOT))
        for reader in (member, admin):
            for response in (
                await client.get("/bots", reader),
                await client.get("/users", reader),
                await client.get(f"/users/{created['user_id']}", reader),
                await client.post("/register", reader),
            ):
                assert created["api_key"] not in str(assert_success(response))
                assert "'api_key': " not in str(response.body)

    async def test_event_of_a_new_bot_does_not_contain_its_key(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        listener = await listen(client, admin)
        created = assert_success(await client.post("/bots", member, **BOT))
        events = await listener.new_events()
        assert events
        assert created["api_key"] not in str(events)


class TestMassAssignment:
    async def test_role_and_owner_are_no_parameters_of_creation(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        extra = {"role": 100, "bot_owner_id": admin.user_id, "is_admin": True}
        created = assert_success(await client.post("/bots", member, **BOT, **extra))
        assert sorted(created["ignored_parameters_unsupported"]) == sorted(extra)
        bot = Person(created["user_id"], "", "")
        seen = await user_seen_by(client, bot, member)
        assert (seen["role"], seen["bot_owner_id"]) == (Role.MEMBER, member.user_id)

    async def test_own_settings_do_not_hold_the_role(
        self, client: ApiClient, member: Person
    ) -> None:
        response = await client.patch("/settings", member, role=100, is_owner=True)
        assert assert_success(response)["ignored_parameters_unsupported"]
        assert (await user_seen_by(client, member, member))["role"] == Role.MEMBER

    async def test_member_cannot_raise_own_bot(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        response = await client.patch(f"/users/{bot.user_id}", member, role=200)
        assert_error(response, ADMIN_NEEDED)


class TestDeactivationRaces:
    async def test_bot_request_waiting_behind_deactivation_of_its_owner_is_refused(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person, bot: Person
    ) -> None:
        assert_success(await client.get("/users/me", bot))
        request = client.patch("/settings", bot, full_name="Still here")
        change = deactivate(runtime, realm, member)
        assert_error(await answer_behind(runtime, realm, change, request), *REFUSED)

    async def test_login_waiting_behind_the_deactivation_returns_no_key(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, make_user: MakeUser
    ) -> None:
        person = await make_user(password=PASSWORD)
        change = deactivate(runtime, realm, person)
        response = await answer_behind(runtime, realm, change, log_in(client, person.email))
        assert_error(response, "AUTHENTICATION_FAILED", 401)

    async def test_former_owner_waiting_behind_the_transfer_gets_no_key(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        member: Person,
        bot: Person,
    ) -> None:
        path = f"/bots/{bot.user_id}"
        response = await answer_behind(
            runtime,
            realm,
            client.patch(path, admin, bot_owner_id=admin.user_id),
            client.get(f"{path}/api_key", member),
        )
        assert assert_error(response) == "Insufficient permission"


class TestStolenKey:
    async def test_regeneration_ends_its_queues_polls_and_file_addresses(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        temporary = assert_success(await client.get(await upload(client, member), member))["url"]
        listener = await listen(client, member, fetch_event_types=[])
        polling = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        response = await client.post("/users/me/api_key/regenerate", member)
        listener.person = replace(member, api_key=assert_success(response)["api_key"])
        assert_error(await polling, *REFUSED)
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
        assert (await open_file(client, None, temporary)).status_code == 404

    async def test_regeneration_of_a_bots_key_ends_its_queues(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        listener = await listen(client, bot, fetch_event_types=[])
        response = await client.post(f"/bots/{bot.user_id}/api_key/regenerate", member)
        listener.person = replace(bot, api_key=assert_success(response)["api_key"])
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")

    async def test_queues_of_others_go_on(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person, bot: Person
    ) -> None:
        listener = await listen(client, bot, fetch_event_types=[])
        await replace_api_key(runtime, realm, member)
        assert await listener.new_events() == []

    async def test_deactivation_ends_file_addresses(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        temporary = assert_success(await client.get(await upload(client, member), member))["url"]
        await deactivate(runtime, realm, member)
        assert (await open_file(client, None, temporary)).status_code == 404


class TestLogin:
    async def test_bot_with_an_earlier_password_is_refused(
        self, client: ApiClient, runtime: Runtime, bot: Person
    ) -> None:
        password_hash = await runtime.passwords.hash(PASSWORD)
        async with DatabaseSession(runtime.database) as db:
            await db.write()
            await db.execute(
                update(User).where(User.id == bot.user_id).values(password_hash=password_hash)
            )
            await db.commit()
        assert_error(await log_in(client, bot.email), "AUTHENTICATION_FAILED", 401)

    async def test_account_has_no_alternative_names(
        self, client: ApiClient, make_user: MakeUser
    ) -> None:
        """Attempts are limited by name: more names would be more attempts."""
        person = await make_user(password=PASSWORD)
        host = made_up_email(person).partition("@")[2]
        assert_success(await log_in(client, made_up_email(person)))
        arabic = str(person.user_id).translate({48 + digit: 0x660 + digit for digit in range(10)})
        for alias in (f"user0{person.user_id}@{host}", f"user{arabic}@{host}"):
            assert_error(await log_in(client, alias), "AUTHENTICATION_FAILED", 401)


class TestWebhookBots:
    async def test_private_channel_of_others_is_closed_to_them(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        webhook = await make_user(bot_owner=member, bot_type=BotType.INCOMING_WEBHOOK)
        secret = await make_channel("secret", subscribers=[owner], invite_only=True)
        missing = {"type": "stream", "to": 999_999, "topic": "x", "content": "x"}
        hidden = {**missing, "to": secret.id}
        refusals = [
            (await client.post("/messages", webhook, **message)).body
            for message in (missing, hidden)
        ]
        assert [refusal["code"] for refusal in refusals] == ["STREAM_DOES_NOT_EXIST"] * 2
        assert str(refusals[0]).replace("999999", "ID") == str(refusals[1]).replace(
            str(secret.id), "ID"
        )
