"""Presence events: emitted when a user becomes present or active, in the client's form."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.features.users.presence.writer import MAX_PEOPLE_TO_NOTIFY
from tests.factories import MakeUser, Person
from tests.features.users.presence.pinging import here, listen_to_presence, moments, ping, told
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.statements import recorded_statements
from tests.support.waiting import MAX_WAIT_SECONDS

SIMPLE = {"simplified_presence_events": True}


@pytest.mark.any_database
class TestForms:
    async def test_the_newer_one(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        listener = await listen_to_presence(client, owner, client_capabilities=SIMPLE)
        await ping(client, member)
        assert await told(listener) == [
            {"type": "presence", "presences": {str(member.user_id): here(clock)}}
        ]

    @pytest.mark.parametrize("is_slim", [True, False])
    async def test_the_older_one(
        self,
        client: ApiClient,
        clock: MovableClock,
        owner: Person,
        member: Person,
        is_slim: bool,
    ) -> None:
        listener = await listen_to_presence(client, owner, slim_presence=is_slim)
        await ping(client, member)
        now = unix_seconds(clock.now())
        shown = {"client": "website", "status": "active", "timestamp": now, "pushable": False}
        event = {
            "type": "presence",
            "user_id": member.user_id,
            "server_timestamp": clock.now().timestamp(),
            "presence": {"website": shown},
        }
        expected = event if is_slim else {**event, "email": member.email}
        assert await told(listener) == [expected]


@pytest.mark.any_database
class TestWhen:
    async def test_emitted_only_when_visible_state_changes(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        listener = await listen_to_presence(client, owner, client_capabilities=SIMPLE)
        key, start = str(member.user_id), unix_seconds(clock.now())

        async def told_after(seconds: float, status: str) -> list[dict[str, int]]:
            clock.advance(seconds=seconds)
            await ping(client, member, status=status, ping_only=True)
            return [event["presences"][key] for event in await told(listener)]

        assert await told_after(0, "idle") == [moments(0, start)]
        assert await told_after(60, "idle") == []
        assert await told_after(60, "active") == [moments(start + 120, start + 120)]
        assert await told_after(60, "active") == []
        assert await told_after(60, "idle") == []
        assert await told_after(140, "idle") == [moments(start + 180, start + 380)]
        assert await told_after(1_000, "active") == [moments(start + 1_380, start + 1_380)]

    async def test_not_delivered_to_later_polls(self, client: ApiClient, member: Person) -> None:
        await ping(client, member)
        assert await told(await listen_to_presence(client, member)) == []

    async def test_not_emitted_in_large_realms(
        self,
        client: ApiClient,
        make_user: MakeUser,
        owner: Person,
        member: Person,
    ) -> None:
        for _ in range(MAX_PEOPLE_TO_NOTIFY - 2):
            await make_user()
        await make_user(bot_owner=owner)
        listener = await listen_to_presence(client, owner)
        await ping(client, member)
        assert len(await told(listener)) == 1
        one_more = await make_user()
        await ping(client, one_more)
        assert await told(listener) == []


class TestCost:
    async def test_ping_does_not_lock_the_realm(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        # SQLite allows one writer at a time: there, no other writer can hold the lock.
        work = runtime.begin()
        if not runtime.database.is_sqlite:
            await work.db.lock_realm(realm.id)
        try:
            with recorded_statements(runtime.database, "INSERT INTO event ") as statements:
                async with asyncio.timeout(MAX_WAIT_SECONDS):
                    response = await ping(client, member, last_update_id=-1)
        finally:
            await work.db.close()
        assert set(response["presences"]) == {str(member.user_id)}
        assert statements == []

    async def test_repeated_ping_writes_nothing(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, member: Person
    ) -> None:
        await ping(client, member)
        with recorded_statements(runtime.database, "INSERT INTO presence") as statements:
            for status in ("active", "idle"):
                clock.advance(seconds=10)
                await ping(client, member, status=status)
        assert statements == []

    async def test_simultaneous_pings_are_written_together(
        self, client: ApiClient, runtime: Runtime, make_user: MakeUser
    ) -> None:
        people = [await make_user() for _ in range(12)]
        listener = await listen_to_presence(client, people[0], client_capabilities=SIMPLE)
        with recorded_statements(runtime.database, "INSERT INTO presence_clock") as statements:
            await asyncio.gather(*(ping(client, person) for person in people for _ in range(2)))
        assert len(statements) < len(people)
        [last] = {
            (await ping(client, person, last_update_id=0))["presence_last_update_id"]
            for person in people
        }
        response = await ping(client, people[0], last_update_id=0)
        assert set(response["presences"]) == {str(person.user_id) for person in people}
        assert response["presence_last_update_id"] == last
        assert len(await told(listener)) == len(people)
