"""POST /users/me/presence, the two reads of presence, and POST /register."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.core.system_groups import SystemGroup
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.realm.settings import allow, change_realm
from tests.features.users.presence.pinging import (
    PRESENCE,
    here,
    listen_to_presence,
    moments,
    old_form,
    ping,
    ping_slim,
    told,
    try_ping,
)
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


async def presence_of(client: ApiClient, reader: Person, reference: object) -> dict[str, Any]:
    response = await client.get(f"/users/{reference}/presence", reader)
    return assert_success(response)


@pytest.mark.any_database
class TestPing:
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await try_ping(client, None), "UNAUTHORIZED", 401)
        assert_error(await client.get("/realm/presence"), "UNAUTHORIZED", 401)
        assert_error(await client.get("/users/1/presence"), "UNAUTHORIZED", 401)

    async def test_response_lists_presences_by_email(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        now = unix_seconds(clock.now())
        await ping(client, owner, status="idle")
        assert await ping(client, member, new_user_input=True) == {
            "server_timestamp": clock.now().timestamp(),
            "presences": {
                owner.email: old_form("idle", now),
                member.email: old_form("active", now),
            },
            "presence_last_update_id": 2,
        }

    async def test_response_lists_presences_by_user_id_if_slim(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        now = unix_seconds(clock.now())
        await ping(client, owner, status="idle")
        assert await ping_slim(client, member) == {
            str(owner.user_id): moments(0, now),
            str(member.user_id): moments(now, now),
        }

    async def test_ping_only_response_has_no_presences(
        self, client: ApiClient, member: Person
    ) -> None:
        assert await ping(client, member, ping_only=True) == {}
        assert str(member.user_id) in await ping_slim(client, member)

    async def test_stores_active_and_idle_timestamps(
        self, client: ApiClient, clock: MovableClock, member: Person
    ) -> None:
        start = unix_seconds(clock.now())
        await ping(client, member)
        clock.advance(minutes=5)
        assert await ping_slim(client, member, status="idle") == {
            str(member.user_id): moments(start, start + 300)
        }
        clock.advance(minutes=1)
        assert await ping_slim(client, member) == {
            str(member.user_id): moments(start + 360, start + 360)
        }

    async def test_hidden_addresses_are_shown_as_generated_ones(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        assert_success(await client.patch("/settings", member, email_address_visibility=3))
        await ping(client, member)
        presences = (await ping(client, guest))["presences"]
        assert member.email not in presences
        [email] = presences.keys() - {guest.email}
        assert email.startswith(f"user{member.user_id}@")

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"status": "asleep"}, "Invalid status; expected 'active' or 'idle'"),
            ({"status": "act\0ive"}, "status must not contain NUL characters"),
            ({"ping_only": "maybe"}, 'Argument "ping_only" is not valid JSON.'),
            ({"new_user_input": 7}, "new_user_input is not a boolean"),
            ({"slim_presence": "[]"}, "slim_presence is not a boolean"),
            ({"last_update_id": -2}, "last_update_id is too small (at least: -1)"),
            ({"last_update_id": 2**63}, "last_update_id is too large"),
            ({"last_update_id": '"x"'}, "last_update_id is not an integer"),
            ({"history_limit_days": -1}, "history_limit_days is too small (at least: 0)"),
            ({"history_limit_days": 100_001}, "history_limit_days is too large"),
        ],
    )
    async def test_refuses_bad_values(
        self, client: ApiClient, member: Person, params: dict[str, object], message: str
    ) -> None:
        assert message in assert_error(await try_ping(client, member, **params))
        assert (await listen(client, member)).state["presences"] == {}

    async def test_needs_a_status(self, client: ApiClient, member: Person) -> None:
        assert assert_error(await client.post(PRESENCE, member)) == "Missing 'status' argument"

    async def test_bots_have_none(
        self, client: ApiClient, make_user: MakeUser, member: Person
    ) -> None:
        bot = await make_user(bot_owner=member)
        assert assert_error(await try_ping(client, bot)) == "Bots have no presence."
        response = await client.get(f"/users/{bot.user_id}/presence", member)
        assert assert_error(response) == "Bots have no presence."


class TestHistory:
    @pytest.mark.any_database
    async def test_is_of_two_weeks(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        await ping(client, owner)
        clock.advance(days=14)
        assert len(await ping_slim(client, member)) == 2
        clock.advance(seconds=1)
        assert len(await ping_slim(client, member)) == 1
        assert_success(await client.get("/realm/presence", member))
        by_email = assert_success(await client.get("/realm/presence", member))["presences"]
        assert set(by_email) == {member.email}

    async def test_is_as_long_as_asked_for(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        await ping(client, owner)
        clock.advance(days=3)
        assert len(await ping_slim(client, member, history_limit_days=2)) == 1
        assert len(await ping_slim(client, member, history_limit_days=4)) == 2
        nothing = await ping(client, member, history_limit_days=0)
        assert nothing["presences"] == {}
        assert nothing["presence_last_update_id"] == 2
        assert len(await ping_slim(client, member, history_limit_days=2, last_update_id=-1)) == 1
        assert len(await ping_slim(client, member, history_limit_days=2, last_update_id=0)) == 2


class TestUpdates:
    async def test_only_newer_presences_are_returned(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        first = await ping(client, member, last_update_id=-1)
        assert first["presences"] == {str(member.user_id): here(clock)}
        seen = first["presence_last_update_id"]
        await ping(client, owner)
        second = await ping(client, member, last_update_id=seen)
        assert second["presences"] == {str(owner.user_id): here(clock)}
        assert second["presence_last_update_id"] > seen
        seen = second["presence_last_update_id"]
        third = await ping(client, member, last_update_id=seen)
        assert (third["presences"], third["presence_last_update_id"]) == ({}, seen)
        clock.advance(minutes=1)
        fourth = await ping(client, member, last_update_id=seen)
        assert fourth["presences"] == {str(member.user_id): here(clock)}

    @pytest.mark.any_database
    async def test_too_high_last_update_id_is_corrected(
        self, client: ApiClient, member: Person
    ) -> None:
        response = await ping(client, member, last_update_id=4711)
        assert (response["presences"], response["presence_last_update_id"]) == ({}, 1)

    @pytest.mark.any_database
    async def test_continue_from_the_registered_state(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        assert (await listen(client, member)).state["presence_last_update_id"] == -1
        await ping(client, owner)
        state = (await listen(client, member)).state
        response = await ping(client, member, last_update_id=state["presence_last_update_id"])
        assert set(response["presences"]) == {str(member.user_id)}

    @pytest.mark.any_database
    async def test_update_ids_are_per_realm(
        self, app: ChatApp, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        stranger = await factories.make_user(runtime, other)
        at_home = ApiClient(app, "acme.localhost")
        there = ApiClient(app, "elsewhere.localhost")
        await ping(at_home, member)
        response = await ping(there, stranger, last_update_id=-1)
        assert set(response["presences"]) == {str(stranger.user_id)}
        assert response["presence_last_update_id"] == 1
        unknown = await there.get(f"/users/{member.user_id}/presence", stranger)
        assert assert_error(unknown) == "No such user"
        await at_home.aclose()
        await there.aclose()


@pytest.mark.any_database
class TestRegister:
    async def test_is_keyed_by_email_by_default(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        await ping(client, owner)
        now = unix_seconds(clock.now())
        state = (await listen(client, member, fetch_event_types=["presence"])).state
        assert state["presences"] == {owner.email: old_form("active", now)}
        assert state["server_timestamp"] == clock.now().timestamp()
        assert state["presence_last_update_id"] == 1
        state = (await listen(client, member, slim_presence=True)).state
        assert state["presences"] == {str(owner.user_id): moments(now, now)}

    async def test_history_limit_is_applied(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        await ping(client, owner)
        clock.advance(days=20)
        for days, count in ((None, 0), (0, 0), (19, 0), (21, 1)):
            params = {} if days is None else {"presence_history_limit_days": days}
            state = (await listen(client, member, **params)).state
            assert len(state["presences"]) == count


@pytest.mark.any_database
class TestOneUser:
    async def test_in_both_forms(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        now = unix_seconds(clock.now())
        await ping(client, owner)
        status = {"status": "active", "timestamp": now}
        for reference in (owner.user_id, owner.email):
            assert await presence_of(client, member, reference) == {
                "server_timestamp": clock.now().timestamp(),
                "presence": {**moments(now, now), "website": status, "aggregated": status},
            }

    async def test_aggregated_status_becomes_offline_after_140_seconds(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        await ping(client, owner)
        clock.advance(seconds=139)
        shown = (await presence_of(client, member, owner.user_id))["presence"]
        assert shown["aggregated"]["status"] == "active"
        clock.advance(seconds=1)
        shown = (await presence_of(client, member, owner.user_id))["presence"]
        assert shown["aggregated"]["status"] == "offline"
        assert shown["website"]["status"] == "active"

    async def test_user_without_presence(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        path = f"/users/{owner.user_id}/presence"
        refusal = assert_error(await client.get(path, member))
        assert refusal == f"No presence data for {owner.user_id}"
        for reference in (4711, "nobody@example.com", 10**30):
            response = await client.get(f"/users/{reference}/presence", member)
            assert assert_error(response) == "No such user"
        await ping(client, guest)
        await deactivate(runtime, realm, guest)
        response = await client.get(f"/users/{guest.user_id}/presence", member)
        assert assert_error(response) == "No such user"
        assert await ping_slim(client, member) == {
            str(member.user_id): (await ping_slim(client, member))[str(member.user_id)]
        }


class TestHiding:
    @pytest.mark.any_database
    async def test_hidden_user_has_no_presence(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        await ping(client, owner)
        seen = (await ping(client, member, last_update_id=-1))["presence_last_update_id"]
        listener = await listen_to_presence(client, member, slim_presence=True)
        assert_success(await client.patch("/settings", owner, presence_enabled=False))
        hidden = await ping(client, member, last_update_id=seen)
        assert hidden["presences"] == {str(owner.user_id): moments(0, 0)}
        clock.advance(minutes=1)
        await ping(client, owner)
        assert set(await ping_slim(client, member)) == {str(member.user_id)}
        assert set((await ping(client, member))["presences"]) == {member.email}
        assert_error(await client.get(f"/users/{owner.user_id}/presence", member))
        assert set((await listen(client, member)).state["presences"]) == {member.email}
        [event] = await told(listener)
        shown = {"client": "website", "status": "idle", "timestamp": 0, "pushable": False}
        assert event["presence"] == {"website": shown}

    async def test_user_reappears_at_once_after_hiding_ends(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        assert_success(await client.post("/users/me/status", owner, away=True))
        clock.advance(minutes=10)
        simple = {"simplified_presence_events": True}
        listener = await listen_to_presence(client, member, client_capabilities=simple)
        assert_success(await client.post("/users/me/status", owner, away=False))
        assert (await ping_slim(client, member))[str(owner.user_id)] == here(clock)
        assert (await told(listener))[0] == {
            "type": "presence",
            "presences": {str(owner.user_id): here(clock)},
        }

    @pytest.mark.any_database
    async def test_bots_can_have_the_setting(
        self, client: ApiClient, make_user: MakeUser, member: Person
    ) -> None:
        bot = await make_user(bot_owner=member)
        for is_enabled in (False, True):
            response = await client.patch("/settings", bot, presence_enabled=is_enabled)
            assert_success(response)
        assert set(await ping_slim(client, member)) == {str(member.user_id)}

    @pytest.mark.any_database
    async def test_presence_can_be_disabled_for_the_realm(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        await ping(client, owner)
        listener = await listen_to_presence(client, member)
        await change_realm(client, owner, presence_disabled=True)
        nothing: dict[str, Any] = {"presences": {}, "presence_last_update_id": -1}
        for params in ({}, {"slim_presence": True}, {"last_update_id": 0}):
            response = await ping(client, member, **params)
            assert {key: response[key] for key in nothing} == nothing
        state = (await listen(client, member)).state
        assert {key: state[key] for key in nothing} == nothing
        assert assert_success(await client.get("/realm/presence", member))["presences"] == {}
        assert_error(await client.get(f"/users/{owner.user_id}/presence", member))
        assert_success(await client.patch("/settings", owner, presence_enabled=False))
        assert await told(listener) == []


class TestVisibility:
    @pytest.mark.any_database
    async def test_users_invisible_to_the_reader_are_omitted(
        self,
        client: ApiClient,
        realm: RealmRecord,
        make_user: MakeUser,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        friend = await make_user()
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        people = [friend.user_id, guest.user_id]
        assert_success(await subscribe(client, owner, "friends", principals=people))
        listener = await listen_to_presence(client, guest)
        for person in (member, friend):
            await ping(client, person)
        ids = {str(person.user_id) for person in (friend, guest)}
        emails = {friend.email, guest.email}
        assert set(await ping_slim(client, guest)) == ids
        assert set(await ping_slim(client, guest, last_update_id=0)) == ids
        assert set((await ping(client, guest))["presences"]) == emails
        by_email = assert_success(await client.get("/realm/presence", guest))["presences"]
        assert set(by_email) == emails
        assert set((await listen(client, guest)).state["presences"]) == emails
        response = await client.get(f"/users/{member.user_id}/presence", guest)
        assert assert_error(response) == "No such user"
        assert {str(event["user_id"]) for event in await told(listener)} == ids
