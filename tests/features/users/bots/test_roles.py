"""A bot's role is never above its owner's, on both databases."""

import asyncio
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import BotType, Role
from chatapi.core.system_groups import SystemGroup
from chatapi.jobs.waiting_period import end_waiting_periods
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.groups.groups import ids, members_of
from tests.features.realm.settings import change_realm
from tests.features.users.people import user_seen_by
from tests.support.account_changes import change_role, deactivate
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until

ADMIN_NEEDED = "UNAUTHORIZED_PRINCIPAL"
TOO_HIGH = "role: A bot cannot have a higher role than its owner"


@pytest.fixture
async def admin_bot(make_user: MakeUser, admin: Person) -> Person:
    return await make_user(Role.ADMIN, bot_owner=admin)


async def role_of(client: ApiClient, person: Person, reader: Person) -> Role:
    return Role((await user_seen_by(client, person, reader))["role"])


async def set_role(client: ApiClient, actor: Person, person: Person, role: Role) -> None:
    path = f"/users/{person.user_id}"
    assert_success(await client.patch(path, actor, role=int(role)))


async def told(listener: Listener) -> list[tuple[str, Any]]:
    """Roles and memberships of system groups, in the order of their events."""
    news: list[tuple[str, Any]] = []
    for event in await listener.new_events():
        if event["type"] == "realm_user":
            news.append(("role", (event["person"]["user_id"], event["person"]["role"])))
        elif event["type"] == "user_group":
            news.append((event["op"], (event["group_id"], event["user_ids"])))
    return news


@pytest.mark.any_database
class TestDemotion:
    async def test_lowered_administrator_cannot_be_promoted_by_own_bot(
        self, client: ApiClient, owner: Person, admin: Person, admin_bot: Person
    ) -> None:
        assert_success(await client.get("/users/me", admin_bot))
        await set_role(client, owner, admin, Role.MEMBER)
        response = await client.patch(f"/users/{admin.user_id}", admin_bot, role=int(Role.ADMIN))
        assert_error(response, ADMIN_NEEDED)
        assert await role_of(client, admin, owner) is Role.MEMBER
        assert await role_of(client, admin_bot, owner) is Role.MEMBER

    async def test_emits_events_about_bot_roles_and_groups(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        admin: Person,
        admin_bot: Person,
    ) -> None:
        listener = await listen(
            client, owner, event_types=["realm_user", "user_group"], fetch_event_types=[]
        )
        await set_role(client, owner, admin, Role.MODERATOR)
        before = realm.system_groups[SystemGroup.ADMINISTRATORS]
        after = realm.system_groups[SystemGroup.MODERATORS]
        assert await told(listener) == [
            news
            for person in (admin, admin_bot)
            for news in (
                ("role", (person.user_id, Role.MODERATOR)),
                ("remove_members", (before, ids(person))),
                ("add_members", (after, ids(person))),
            )
        ]
        assert await members_of(client, owner, after) == sorted(ids(admin, admin_bot))

    async def test_only_higher_bots_of_the_same_owner_are_lowered(
        self, client: ApiClient, owner: Person, admin: Person, make_user: MakeUser
    ) -> None:
        bots = [
            await make_user(role, bot_owner=who)
            for who, role in (
                (admin, Role.ADMIN),
                (admin, Role.MODERATOR),
                (admin, Role.MEMBER),
                (admin, Role.GUEST),
                (owner, Role.ADMIN),
            )
        ]
        await set_role(client, owner, admin, Role.MODERATOR)
        roles = [await role_of(client, bot, owner) for bot in bots]
        assert roles == [Role.MODERATOR, Role.MODERATOR, Role.MEMBER, Role.GUEST, Role.ADMIN]

    async def test_promotion_does_not_raise_bots(
        self, client: ApiClient, owner: Person, member: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=member)
        await set_role(client, owner, member, Role.ADMIN)
        assert await role_of(client, bot, owner) is Role.MEMBER

    async def test_deactivated_bot_is_lowered_too(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        admin: Person,
        admin_bot: Person,
    ) -> None:
        await deactivate(runtime, realm, admin_bot)
        await set_role(client, owner, admin, Role.MEMBER)
        assert_success(await client.post(f"/users/{admin_bot.user_id}/reactivate", owner))
        assert await role_of(client, admin_bot, owner) is Role.MEMBER

    async def test_deactivated_owners_bot_is_lowered_too(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        admin: Person,
        admin_bot: Person,
    ) -> None:
        await deactivate(runtime, realm, admin)
        await set_role(client, owner, admin, Role.GUEST)
        for user_id in (admin.user_id, admin_bot.user_id):
            assert_success(await client.post(f"/users/{user_id}/reactivate", owner))
        assert await role_of(client, admin_bot, owner) is Role.GUEST

    async def test_guests_bot_sees_no_public_channel(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        await make_channel("open to members")
        bot = await make_user(bot_owner=member)
        assert assert_success(await client.get("/streams", bot))["streams"]
        await set_role(client, owner, member, Role.GUEST)
        assert assert_success(await client.get("/streams", bot))["streams"] == []

    async def test_bot_request_waiting_behind_the_demotion_is_refused(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        admin: Person,
        admin_bot: Person,
    ) -> None:
        assert_success(await client.get("/users/me", admin_bot))
        turn = runtime.database.writer_turn(realm.id)
        async with runtime.begin().db as blocker:
            await blocker.lock_realm(realm.id)
            demotion = asyncio.ensure_future(change_role(runtime, realm, admin, Role.MEMBER))
            await until(lambda: turn.waiting == 1)
            promotion = asyncio.ensure_future(
                client.patch(f"/users/{admin.user_id}", admin_bot, role=int(Role.ADMIN))
            )
            await until(lambda: turn.waiting == 2)
        await demotion
        assert_error(await promotion, ADMIN_NEEDED)
        assert await role_of(client, admin, owner) is Role.MEMBER


@pytest.mark.any_database
class TestLimit:
    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.ADMIN, Role.OWNER])
    async def test_role_above_the_owners_is_refused(
        self, client: ApiClient, owner: Person, member: Person, make_user: MakeUser, role: Role
    ) -> None:
        bot = await make_user(bot_owner=member)
        response = await client.patch(f"/users/{bot.user_id}", owner, role=int(role))
        assert assert_error(response) == TOO_HIGH
        assert await role_of(client, bot, owner) is Role.MEMBER

    async def test_role_of_the_owner_is_allowed(
        self, client: ApiClient, owner: Person, admin: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=admin)
        await set_role(client, owner, bot, Role.ADMIN)
        assert await role_of(client, bot, owner) is Role.ADMIN

    async def test_bot_is_not_created_above_its_owner(
        self, make_user: MakeUser, guest: Person
    ) -> None:
        with pytest.raises(BadRequestError, match="higher role than its owner"):
            await make_user(Role.MEMBER, bot_owner=guest)

    async def test_webhook_bot_has_the_same_limit(
        self, client: ApiClient, owner: Person, member: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=member, bot_type=BotType.INCOMING_WEBHOOK)
        response = await client.patch(f"/users/{bot.user_id}", owner, role=int(Role.ADMIN))
        assert assert_error(response) == TOO_HIGH

    async def test_transfer_lowers_a_higher_bot(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        admin_bot: Person,
    ) -> None:
        listener = await listen(client, owner, event_types=["user_group"], fetch_event_types=[])
        path = f"/bots/{admin_bot.user_id}"
        assert_success(await client.patch(path, owner, bot_owner_id=member.user_id))
        assert await role_of(client, admin_bot, owner) is Role.MEMBER
        groups = realm.system_groups
        assert await told(listener) == [
            ("remove_members", (groups[SystemGroup.ADMINISTRATORS], ids(admin_bot))),
            ("add_members", (groups[SystemGroup.FULL_MEMBERS], ids(admin_bot))),
        ]

    async def test_bot_reactivated_by_another_administrator_keeps_its_role(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        admin_bot: Person,
        make_user: MakeUser,
    ) -> None:
        other = await make_user(Role.ADMIN)
        await deactivate(runtime, realm, admin)
        assert_success(await client.post(f"/users/{admin_bot.user_id}/reactivate", other))
        seen = await user_seen_by(client, admin_bot, other)
        assert (seen["role"], seen["bot_owner_id"]) == (Role.ADMIN, other.user_id)


class TestWaitingPeriod:
    async def full_members(
        self, client: ApiClient, realm: RealmRecord, reader: Person
    ) -> list[int]:
        return await members_of(client, reader, realm.system_groups[SystemGroup.FULL_MEMBERS])

    async def test_bot_transferred_to_a_new_member_is_in_the_waiting_period(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        make_user: MakeUser,
    ) -> None:
        bot = await make_user(bot_owner=owner)
        clock.advance(days=5)
        await change_realm(client, owner, waiting_period_threshold=3)
        newcomer = await make_user()
        assert await self.full_members(client, realm, owner) == ids(bot)
        path = f"/bots/{bot.user_id}"
        assert_success(await client.patch(path, owner, bot_owner_id=newcomer.user_id))
        assert await self.full_members(client, realm, owner) == []
        await end_waiting_periods(runtime)
        assert await self.full_members(client, realm, owner) == []
        clock.advance(days=3)
        await end_waiting_periods(runtime)
        assert await self.full_members(client, realm, owner) == ids(bot, newcomer)

    async def test_changed_period_applies_to_owner_and_bot(
        self,
        client: ApiClient,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        make_user: MakeUser,
    ) -> None:
        bot = await make_user(bot_owner=owner)
        clock.advance(days=5)
        newcomer = await make_user()
        path = f"/bots/{bot.user_id}"
        assert_success(await client.patch(path, owner, bot_owner_id=newcomer.user_id))
        await change_realm(client, owner, waiting_period_threshold=3)
        assert await self.full_members(client, realm, owner) == []
        await change_realm(client, owner, waiting_period_threshold=0)
        assert await self.full_members(client, realm, owner) == ids(bot, newcomer)
