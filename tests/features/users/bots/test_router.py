"""The endpoints of bots, on both databases."""

import asyncio
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.core.system_groups import SystemGroup
from chatapi.features.users.api_keys import LOGINS_PER_USER
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.realm.settings import allow
from tests.features.users.people import gravatar, user_seen_by
from tests.support.account_changes import change_role, deactivate
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until_polls_wait

BOT = {"full_name": "Weather", "short_name": "weather"}
EMAIL = "weather-bot@acme.localhost"
FORBIDDEN = "Insufficient permission"
DEFAULTS = {
    "default_sending_stream": None,
    "default_events_register_stream": None,
    "default_all_public_streams": False,
}


async def add_bot(client: ApiClient, owner: Person, **params: object) -> Person:
    created = assert_success(await client.post("/bots", owner, **{**BOT, **params}))
    return Person(created["user_id"], EMAIL, created["api_key"], "Weather")


@pytest.fixture
async def bot(client: ApiClient, member: Person) -> Person:
    return await add_bot(client, member)


class TestCreateBot:
    @pytest.mark.any_database
    async def test_creates_a_user_whose_key_works(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        response = await client.post("/bots", member, **BOT, config_data={})
        created = assert_success(response)
        bot = Person(created.pop("user_id"), EMAIL, created.pop("api_key"))
        assert created == {
            **DEFAULTS,
            "avatar_url": gravatar(EMAIL),
            "ignored_parameters_unsupported": ["config_data"],
        }
        me = assert_success(await client.get("/users/me", bot))
        assert (me["user_id"], me["is_bot"], me["role"]) == (bot.user_id, True, Role.MEMBER)
        seen = await user_seen_by(client, bot, member)
        assert (seen["bot_type"], seen["bot_owner_id"]) == (1, member.user_id)
        assert (seen["email"], seen["full_name"]) == (EMAIL, "Weather")

    @pytest.mark.any_database
    async def test_bot_of_a_realm_owner_is_a_member(self, client: ApiClient, owner: Person) -> None:
        bot = await add_bot(client, owner)
        assert (await user_seen_by(client, bot, owner))["role"] == Role.MEMBER

    @pytest.mark.any_database
    async def test_webhook(self, client: ApiClient, member: Person) -> None:
        bot = await add_bot(client, member, bot_type=2)
        assert (await user_seen_by(client, bot, member))["bot_type"] == 2

    @pytest.mark.any_database
    @pytest.mark.parametrize("bot_type", [4])
    async def test_other_types_are_not_supported(
        self, client: ApiClient, member: Person, bot_type: int
    ) -> None:
        response = await client.post("/bots", member, **BOT, bot_type=bot_type)
        assert f"bot_type {bot_type} is not supported" in assert_error(response)

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "complaint"),
        [
            ({"short_name": ""}, "short_name"),
            ({"short_name": "a b"}, "short_name"),
            ({"short_name": "a@b"}, "short_name"),
            ({"short_name": "x" * 61}, "short_name"),
            ({"full_name": " "}, "full_name"),
            ({"full_name": "**bold**"}, "full_name"),
            ({"bot_type": 5}, "bot_type"),
            ({"bot_type": "generic"}, "bot_type"),
        ],
    )
    async def test_refuses_bad_values(
        self, client: ApiClient, member: Person, params: dict[str, object], complaint: str
    ) -> None:
        assert complaint in assert_error(await client.post("/bots", member, **{**BOT, **params}))

    async def test_addresses_are_unique(self, client: ApiClient, member: Person) -> None:
        await add_bot(client, member)
        response = await client.post("/bots", member, full_name="Other", short_name="Weather")
        assert "already in use" in assert_error(response)

    @pytest.mark.any_database
    @pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN, Role.MODERATOR, Role.MEMBER])
    async def test_all_roles_but_guests_may(
        self, client: ApiClient, make_user: MakeUser, role: Role
    ) -> None:
        assert_success(await client.post("/bots", await make_user(role), **BOT))

    @pytest.mark.any_database
    @pytest.mark.parametrize("bot_type", [1, 2])
    async def test_guests_may_not(self, client: ApiClient, guest: Person, bot_type: int) -> None:
        response = await client.post("/bots", guest, **BOT, bot_type=bot_type)
        assert assert_error(response) == FORBIDDEN

    @pytest.mark.any_database
    async def test_bots_may_not(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        robot = await make_user(Role.ADMIN, bot_owner=owner)
        assert assert_error(await client.post("/bots", robot, **BOT)) == "Bots cannot create bots"

    @pytest.mark.any_database
    async def test_webhook_bots_have_their_own_permission(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        admin: Person,
        member: Person,
        make_user: MakeUser,
    ) -> None:
        moderator = await make_user(Role.MODERATOR)
        await allow(
            client,
            owner,
            realm,
            can_create_bots_group=SystemGroup.ADMINISTRATORS,
            can_create_write_only_bots_group=SystemGroup.MODERATORS,
        )
        assert assert_error(await client.post("/bots", moderator, **BOT)) == FORBIDDEN
        assert assert_error(await client.post("/bots", member, **BOT, bot_type=2)) == FORBIDDEN
        await add_bot(client, moderator, bot_type=2)
        await add_bot(client, admin, short_name="one")
        await allow(client, owner, realm, can_create_write_only_bots_group=SystemGroup.NOBODY)
        await add_bot(client, admin, short_name="two", bot_type=2)


class TestAddressUnderPublicUrl:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"public_url": "https://chat.example.com:8443"})

    @pytest.mark.any_database
    async def test_bot_address_ends_in_the_public_host_name(
        self, client: ApiClient, member: Person
    ) -> None:
        created = assert_success(await client.post("/bots", member, **BOT))
        bot = Person(created["user_id"], "weather-bot@chat.example.com", created["api_key"])
        me = assert_success(await client.get("/users/me", bot))
        assert me["email"] == bot.email
        state = (await listen(client, member, fetch_event_types=["realm"])).state
        assert state["realm_bot_domain"] == "chat.example.com"

    async def test_with_several_realms_the_address_ends_in_the_host_name_of_its_realm(
        self, app: ChatApp, runtime: Runtime, member: Person
    ) -> None:
        await factories.make_realm(runtime, "Other")
        acme = ApiClient(app, "acme.localhost")
        created = assert_success(await acme.post("/bots", member, **BOT))
        bot = Person(created["user_id"], EMAIL, created["api_key"])
        assert_success(await acme.get("/users/me", bot))
        await acme.aclose()


@pytest.mark.any_database
class TestGetBots:
    async def test_returns_the_callers_own_active_bots(
        self, client: ApiClient, admin: Person, member: Person, bot: Person
    ) -> None:
        ended = await add_bot(client, member, short_name="ended")
        assert_success(await client.delete(f"/bots/{ended.user_id}", member))
        await add_bot(client, admin, short_name="other")
        assert assert_success(await client.get("/bots", member))["bots"] == [
            {
                "user_id": bot.user_id,
                "username": EMAIL,
                "full_name": "Weather",
                "avatar_url": gravatar(EMAIL),
                **DEFAULTS,
            }
        ]

    async def test_returns_nothing_without_bots(self, client: ApiClient, guest: Person) -> None:
        assert assert_success(await client.get("/bots", guest))["bots"] == []


VERBS: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "", {"full_name": "New"}),
    ("DELETE", "", {}),
    ("GET", "/api_key", {}),
    ("POST", "/api_key/regenerate", {}),
]


@pytest.mark.any_database
@pytest.mark.parametrize(("method", "path", "form"), VERBS)
class TestPermissionToManage:
    async def test_owner_and_administrators_may(
        self,
        client: ApiClient,
        member: Person,
        make_user: MakeUser,
        method: str,
        path: str,
        form: dict[str, Any],
    ) -> None:
        managers = [member, await make_user(Role.ADMIN), await make_user(Role.OWNER)]
        for number, manager in enumerate(managers):
            bot = await add_bot(client, member, short_name=f"bot{number}")
            address = f"/bots/{bot.user_id}{path}"
            assert_success(await client.call(method, address, manager, data=form))

    async def test_other_users_may_not(
        self,
        client: ApiClient,
        bot: Person,
        make_user: MakeUser,
        method: str,
        path: str,
        form: dict[str, Any],
    ) -> None:
        others = [await make_user(role) for role in (Role.MODERATOR, Role.MEMBER, Role.GUEST)]
        for person in (*others, bot):
            response = await client.call(method, f"/bots/{bot.user_id}{path}", person, data=form)
            assert assert_error(response) == FORBIDDEN

    async def test_bots_with_owner_role_are_managed_by_owners_only(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        admin: Person,
        method: str,
        path: str,
        form: dict[str, Any],
    ) -> None:
        bot = await add_bot(client, owner)
        await change_role(runtime, realm, bot, Role.OWNER)
        response = await client.call(method, f"/bots/{bot.user_id}{path}", admin, data=form)
        assert assert_error(response) == FORBIDDEN

    async def test_humans_and_bots_of_other_realms_are_unknown(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        method: str,
        path: str,
        form: dict[str, Any],
    ) -> None:
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other)
        robot = await factories.make_user(runtime, other, bot_owner=stranger)
        client.http.base_url = "http://acme.localhost"
        for user_id in (member.user_id, robot.user_id, 999_999):
            response = await client.call(method, f"/bots/{user_id}{path}", owner, data=form)
            assert assert_error(response) == "No such bot"

    async def test_deactivated_bots_are_refused(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        bot: Person,
        method: str,
        path: str,
        form: dict[str, Any],
    ) -> None:
        await deactivate(runtime, realm, bot)
        response = await client.call(method, f"/bots/{bot.user_id}{path}", member, data=form)
        assert assert_error(response) == "Bot is deactivated"


@pytest.mark.any_database
class TestChangeBot:
    async def test_name(self, client: ApiClient, member: Person, bot: Person) -> None:
        path = f"/bots/{bot.user_id}"
        response = await client.patch(path, member, full_name="Climate", role=100)
        assert assert_success(response) == {"ignored_parameters_unsupported": ["role"]}
        seen = await user_seen_by(client, bot, member)
        assert (seen["full_name"], seen["role"]) == ("Climate", Role.MEMBER)
        assert "full_name" in assert_error(await client.patch(path, member, full_name="<b>"))

    async def test_owner(
        self, client: ApiClient, admin: Person, member: Person, bot: Person, make_user: MakeUser
    ) -> None:
        heir = await make_user()
        path = f"/bots/{bot.user_id}"
        assert_success(await client.patch(path, admin, bot_owner_id=heir.user_id))
        assert (await user_seen_by(client, bot, member))["bot_owner_id"] == heir.user_id
        assert assert_error(await client.patch(path, member, full_name="Mine")) == FORBIDDEN
        assert_success(await client.patch(path, heir, full_name="Yours"))

    async def test_invalid_owners_are_refused(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        member: Person,
        bot: Person,
        make_user: MakeUser,
    ) -> None:
        gone = await make_user()
        await deactivate(runtime, realm, gone)
        robot = await make_user(bot_owner=member)
        for user_id, reason in (
            (gone.user_id, "deactivated"),
            (robot.user_id, "bots can't own"),
            (999_999, "no such user"),
        ):
            response = await client.patch(f"/bots/{bot.user_id}", admin, bot_owner_id=user_id)
            assert reason in assert_error(response)

    async def test_all_or_nothing(
        self, client: ApiClient, admin: Person, member: Person, bot: Person
    ) -> None:
        response = await client.patch(
            f"/bots/{bot.user_id}", admin, full_name="Climate", bot_owner_id=999_999
        )
        assert_error(response)
        assert (await user_seen_by(client, bot, member))["full_name"] == "Weather"

    async def test_unchanged_values_emit_no_event(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        listener = await listen(client, member, fetch_event_types=[])
        same = {"full_name": "Weather", "bot_owner_id": member.user_id}
        assert_success(await client.patch(f"/bots/{bot.user_id}", member, **same))
        assert await listener.new_events() == []


class TestDeactivateBot:
    @pytest.mark.any_database
    async def test_ends_its_key_and_its_polls(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person, bot: Person
    ) -> None:
        listener = await listen(client, bot, fetch_event_types=[])
        polling = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        assert_success(await client.delete(f"/bots/{bot.user_id}", member))
        assert_error(await polling, "UNAUTHORIZED", 401)
        assert_error(await client.get("/users/me", bot), "UNAUTHORIZED", 401)


class TestApiKeys:
    @pytest.mark.any_database
    async def test_each_read_returns_another_key(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        path = f"/bots/{bot.user_id}/api_key"
        keys = [assert_success(await client.get(path, member))["api_key"] for _ in range(2)]
        assert len({*keys, bot.api_key}) == 3
        for key in (bot.api_key, *keys):
            assert_success(await client.get("/users/me", Person(bot.user_id, EMAIL, key)))

    async def test_oldest_key_is_evicted(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        path = f"/bots/{bot.user_id}/api_key"
        first, *_, last = [
            assert_success(await client.get(path, member))["api_key"]
            for _ in range(LOGINS_PER_USER + 1)
        ]
        response = await client.get("/users/me", Person(bot.user_id, EMAIL, first))
        assert_error(response, "UNAUTHORIZED", 401)
        assert_success(await client.get("/users/me", Person(bot.user_id, EMAIL, last)))
        assert_success(await client.get("/users/me", bot))

    @pytest.mark.any_database
    async def test_regeneration_replaces_all_keys(
        self, client: ApiClient, member: Person, bot: Person
    ) -> None:
        path = f"/bots/{bot.user_id}/api_key"
        further = assert_success(await client.get(path, member))["api_key"]
        new = assert_success(await client.post(f"{path}/regenerate", member))["api_key"]
        for old in (bot.api_key, further):
            response = await client.get("/users/me", Person(bot.user_id, EMAIL, old))
            assert_error(response, "UNAUTHORIZED", 401)
        assert_success(await client.get("/users/me", Person(bot.user_id, EMAIL, new)))

    @pytest.mark.any_database
    async def test_reactivated_bot_needs_a_new_key(
        self, client: ApiClient, admin: Person, member: Person, bot: Person
    ) -> None:
        assert_success(await client.delete(f"/bots/{bot.user_id}", member))
        assert_success(await client.post(f"/users/{bot.user_id}/reactivate", admin))
        assert_error(await client.get("/users/me", bot), "UNAUTHORIZED", 401)
        response = await client.get(f"/bots/{bot.user_id}/api_key", member)
        key = assert_success(response)["api_key"]
        assert_success(await client.get("/users/me", Person(bot.user_id, EMAIL, key)))
