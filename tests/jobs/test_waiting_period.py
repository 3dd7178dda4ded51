"""Members become full members when their waiting period is over, on both databases."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.jobs.waiting_period import end_waiting_periods
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.groups.groups import ids, members_of
from tests.features.realm.settings import allow, change_realm
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import catch_up_with_other_processes

BOT = {"full_name": "Robot", "short_name": "robot"}


@pytest.fixture
async def waiting(client: ApiClient, owner: Person, make_user: MakeUser) -> Person:
    """A member who has to wait three days."""
    await change_realm(client, owner, waiting_period_threshold=3)
    return await make_user()


async def full_members(client: ApiClient, realm: RealmRecord, reader: Person) -> list[int]:
    return await members_of(client, reader, realm.system_groups[SystemGroup.FULL_MEMBERS])


class TestEndOfWaitingPeriod:
    async def test_member_becomes_full_member_after_the_period(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        waiting: Person,
    ) -> None:
        clock.advance(days=3, seconds=-1)
        listener = await listen(client, owner, fetch_event_types=[])
        await end_waiting_periods(runtime)
        assert await full_members(client, realm, owner) == []
        assert await listener.new_events() == []
        clock.advance(seconds=1)
        await end_waiting_periods(runtime)
        assert await full_members(client, realm, owner) == ids(waiting)
        told = [
            (event["op"], event["group_id"], event["user_ids"])
            for event in await listener.new_events()
        ]
        assert told == [
            ("remove_members", realm.system_groups[SystemGroup.MEMBERS], ids(waiting)),
            ("add_members", realm.system_groups[SystemGroup.FULL_MEMBERS], ids(waiting)),
        ]

    async def test_permissions_take_effect_at_once(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        waiting: Person,
    ) -> None:
        await allow(client, owner, realm, can_create_bots_group=SystemGroup.FULL_MEMBERS)
        assert_error(await client.post("/bots", waiting, **BOT))
        clock.advance(days=3)
        await end_waiting_periods(runtime)
        assert_success(await client.post("/bots", waiting, **BOT))

    async def test_other_roles_change_no_group_but_finish_waiting(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        waiting: Person,
    ) -> None:
        assert_success(await client.patch(f"/users/{waiting.user_id}", owner, role=300))
        clock.advance(days=4)
        listener = await listen(client, owner, fetch_event_types=[])
        await end_waiting_periods(runtime)
        assert await listener.new_events() == []
        role = int(Role.MEMBER)
        assert_success(await client.patch(f"/users/{waiting.user_id}", owner, role=role))
        assert await full_members(client, realm, owner) == ids(waiting)

    async def test_happens_once_with_several_processes(
        self,
        client: ApiClient,
        start_app: StartApp,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        waiting: Person,
    ) -> None:
        other = (await start_app()).runtime
        clock.advance(days=3)
        listener = await listen(client, owner, fetch_event_types=[])
        await asyncio.gather(
            *(end_waiting_periods(process) for process in (runtime, other, runtime, other))
        )
        await catch_up_with_other_processes(runtime, realm)
        assert len(await listener.new_events()) == 2

    async def test_each_organization_has_its_own(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        waiting: Person,
    ) -> None:
        other = await factories.make_realm(runtime, "Elsewhere", "elsewhere")
        await factories.make_user(runtime, other)
        clock.advance(days=3)
        await end_waiting_periods(runtime)
        client.http.base_url = f"http://{realm.subdomain}.localhost"
        assert await full_members(client, realm, owner) == ids(waiting)


class TestChangedPeriod:
    async def test_longer_and_shorter(
        self,
        client: ApiClient,
        realm: RealmRecord,
        clock: MovableClock,
        owner: Person,
        make_user: MakeUser,
    ) -> None:
        old = await make_user()
        clock.advance(days=5)
        new = await make_user()
        assert await full_members(client, realm, owner) == ids(old, new)
        await change_realm(client, owner, waiting_period_threshold=2)
        assert await full_members(client, realm, owner) == ids(old)
        await change_realm(client, owner, waiting_period_threshold=100)
        assert await full_members(client, realm, owner) == []
        await change_realm(client, owner, waiting_period_threshold=0)
        assert await full_members(client, realm, owner) == ids(old, new)
