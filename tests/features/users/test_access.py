"""Organizations where guests see only themselves and their bots, on both databases."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.features.users.profile_fields.field_types import FieldType
from tests.factories import MakeUser, Person
from tests.features.realm.settings import allow, change_realm
from tests.features.users.profile_fields.fields import add_field, write
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until_polls_wait

NO_SUCH_USER = "No such user"


@pytest.fixture
async def bot(make_user: MakeUser, guest: Person) -> Person:
    return await make_user(Role.GUEST, bot_owner=guest)


@pytest.fixture
async def restricted(client: ApiClient, realm: RealmRecord, owner: Person) -> None:
    await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)


async def users_seen_by(client: ApiClient, reader: Person | None, **params: object) -> set[int]:
    response = assert_success(await client.get("/users", reader, **params))
    return {user["user_id"] for user in response["members"]}


async def registered_users(client: ApiClient, reader: Person) -> set[int]:
    state = (await listen(client, reader, fetch_event_types=["realm_user"])).state
    return {user["user_id"] for user in (*state["realm_users"], *state["realm_non_active_users"])}


@pytest.mark.any_database
@pytest.mark.usefixtures("restricted")
class TestReads:
    async def test_guests_see_themselves_and_their_bots(
        self, client: ApiClient, owner: Person, member: Person, guest: Person, bot: Person
    ) -> None:
        theirs = {guest.user_id, bot.user_id}
        assert await users_seen_by(client, guest) == theirs
        everybody = [owner.user_id, member.user_id, guest.user_id]
        assert await users_seen_by(client, guest, user_ids=everybody) == {guest.user_id}
        assert await registered_users(client, guest) == theirs

    @pytest.mark.parametrize("role", [role for role in Role if role is not Role.GUEST])
    async def test_other_roles_see_all_users(
        self, client: ApiClient, make_user: MakeUser, owner: Person, guest: Person, role: Role
    ) -> None:
        reader = await make_user(role)
        everybody = {owner.user_id, guest.user_id, reader.user_id}
        assert await users_seen_by(client, reader) == everybody
        assert await registered_users(client, reader) == everybody

    async def test_hidden_user_is_unknown_to_a_guest(
        self, client: ApiClient, member: Person, guest: Person, bot: Person
    ) -> None:
        missing = await client.get("/users/999999", guest)
        for reference in (member.user_id, member.email, f"user{member.user_id}@acme.localhost"):
            response = await client.get(f"/users/{reference}", guest)
            assert response.body == missing.body
            assert assert_error(response) == NO_SUCH_USER
        for visible in (guest, bot):
            assert_success(await client.get(f"/users/{visible.user_id}", guest))
        assert_success(await client.get("/users/me", guest))

    async def test_anonymous_reader_sees_no_users(
        self, client: ApiClient, owner: Person, guest: Person
    ) -> None:
        await change_realm(client, owner, enable_spectator_access=True)
        assert await users_seen_by(client, None) == set()

    async def test_profile_data_gives_same_error_for_hidden_and_unknown_user(
        self, client: ApiClient, owner: Person, member: Person, guest: Person
    ) -> None:
        field_id = await add_field(client, owner, FieldType.USER)
        responses = [
            await client.patch(
                "/users/me/profile_data", guest, data=[{"id": field_id, "value": [user_id]}]
            )
            for user_id in (member.user_id, 999_999)
        ]
        sentences = [assert_error(response).rpartition(":")[0] for response in responses]
        assert sentences[0] == sentences[1]


@pytest.mark.usefixtures("restricted")
class TestEvents:
    async def test_guests_get_no_events_about_hidden_users(
        self, client: ApiClient, owner: Person, member: Person, guest: Person, make_user: MakeUser
    ) -> None:
        listeners = [
            await listen(client, person, event_types=["realm_user"]) for person in (guest, member)
        ]
        await make_user()
        assert_success(await client.patch("/settings", owner, full_name="New Name"))
        assert_success(await client.patch("/settings", member, timezone="Europe/Berlin"))
        field_id = await add_field(client, owner)
        await write(client, member, {field_id: "Cake"})
        heard = [await listener.new_events() for listener in listeners]
        assert [len(events) for events in heard] == [0, 4]

    @pytest.mark.any_database
    async def test_guests_get_events_about_themselves_and_their_bots(
        self, client: ApiClient, guest: Person, make_user: MakeUser
    ) -> None:
        listener = await listen(client, guest, event_types=["realm_user"])
        bot = await make_user(Role.GUEST, bot_owner=guest)
        assert_success(await client.patch("/settings", guest, full_name="New Name"))
        assert_success(await client.patch("/settings", bot, full_name="Helper"))
        people = [event["person"] for event in await listener.new_events()]
        assert [person["user_id"] for person in people] == [
            bot.user_id,
            guest.user_id,
            bot.user_id,
        ]


class TestChanges:
    async def test_changed_setting_takes_effect_at_once(
        self, client: ApiClient, realm: RealmRecord, owner: Person, guest: Person
    ) -> None:
        everybody = {owner.user_id, guest.user_id}
        for group, seen in (
            (SystemGroup.MEMBERS, {guest.user_id}),
            (SystemGroup.EVERYONE, everybody),
        ):
            await allow(client, owner, realm, can_access_all_users_group=group)
            assert await users_seen_by(client, guest) == seen

    @pytest.mark.any_database
    async def test_changed_setting_ends_queues_of_guests(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        guest: Person,
        member: Person,
    ) -> None:
        guests = await listen(client, guest)
        members = await listen(client, member)
        polling = asyncio.create_task(guests.poll())
        await until_polls_wait(runtime, realm)
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        assert_error(await polling, "BAD_EVENT_QUEUE_ID", queue_id=guests.queue_id)
        (event,) = await members.new_events()
        assert event["op"] == "update_dict"

    @pytest.mark.any_database
    async def test_first_direct_message_shows_its_sender_to_guests(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person, guest: Person
    ) -> None:
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        listener = await listen(client, guest)
        message = {"type": "direct", "to": [guest.user_id], "content": "hello"}
        assert_success(await client.post("/messages", member, **message))
        types = [event["type"] for event in await listener.new_events()]
        assert types == ["realm_user", "user_group", "message"]
        assert await registered_users(client, guest) == {guest.user_id, member.user_id}
        assert_success(await client.post("/messages", member, **message))
        assert [event["type"] for event in await listener.new_events()] == ["message"]

    @pytest.mark.any_database
    async def test_changed_role_changes_the_visible_users(
        self, client: ApiClient, realm: RealmRecord, owner: Person, guest: Person
    ) -> None:
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        before = await listen(client, guest)
        promotion = await client.patch(f"/users/{guest.user_id}", owner, role=int(Role.MEMBER))
        assert_success(promotion)
        assert await users_seen_by(client, guest) == {owner.user_id, guest.user_id}
        assert_error(await before.poll(), "BAD_EVENT_QUEUE_ID", queue_id=before.queue_id)
