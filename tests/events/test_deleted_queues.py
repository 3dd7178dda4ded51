"""Deleted queues: every process learns of it from the event log, with or without a bus."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber
from chatapi.core.settings import Settings
from chatapi.jobs.periodic_jobs import expire_queues
from chatapi.main import ChatApp
from tests.factories import MakeUser, Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success
from tests.support.servers import Servers
from tests.support.statements import statements_under_lock
from tests.support.waiting import catch_up_with_other_processes, until_polls_wait, until_true

QUEUES_PER_USER = 3


@dataclass
class World:
    """A bot's queue that both processes have served, and users who can delete it in this one."""

    here: ApiClient
    there: ApiClient
    owner: Person
    bot: Person
    heir: Person
    listener: Listener
    """Polls in the process `there`."""

    async def log_in_again(self, keeper: Person) -> None:
        """Continue as the same bot with a key that is valid now."""
        response = await self.here.get(f"/bots/{self.bot.user_id}/api_key", keeper)
        key = assert_success(response)["api_key"]
        self.listener.person = replace(self.bot, api_key=key)


@pytest.fixture(params=["without a bus", "with a bus"])
def settings(request: pytest.FixtureRequest, settings: Settings, servers: Servers) -> Settings:
    redis_url = servers.valkey.url if request.param == "with a bus" else ""
    return settings.model_copy(update={"redis_url": redis_url, "queues_per_user": QUEUES_PER_USER})


@pytest.fixture
async def other(start_app: StartApp) -> ChatApp:
    return await start_app()


@pytest.fixture
async def world(
    client: ApiClient, other: ChatApp, owner: Person, member: Person, make_user: MakeUser
) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        bot, heir = await make_user(bot_owner=member), await make_user()
        listener = await listen(client, bot, event_types=["test_note"])
        there = ApiClient(other)
        stack.push_async_callback(there.aclose)
        listener.client = there
        assert_success(await listener.poll(dont_block=True))
        yield World(client, there, owner, bot, heir, listener)


async def delete_it(world: World) -> None:
    response = await world.here.delete("/events", world.bot, queue_id=world.listener.queue_id)
    assert_success(response)


async def regenerate_its_key(world: World) -> None:
    path = f"/bots/{world.bot.user_id}/api_key/regenerate"
    assert_success(await world.here.post(path, world.owner))
    await world.log_in_again(world.owner)


async def deactivate_and_reactivate(world: World) -> None:
    path = f"/users/{world.bot.user_id}"
    assert_success(await world.here.delete(path, world.owner))
    assert_success(await world.here.post(f"{path}/reactivate", world.owner))
    await world.log_in_again(world.owner)


async def give_it_away(world: World) -> None:
    path = f"/bots/{world.bot.user_id}"
    response = await world.here.patch(path, world.owner, bot_owner_id=world.heir.user_id)
    assert_success(response)
    await world.log_in_again(world.heir)


async def register_too_many(world: World) -> None:
    for _ in range(QUEUES_PER_USER):
        await listen(world.here, world.bot, idle_queue_timeout="mobile")


End = Callable[[World], Awaitable[None]]
WAYS: list[End] = [
    delete_it,
    regenerate_its_key,
    deactivate_and_reactivate,
    give_it_away,
    register_too_many,
]


class TestOtherProcess:
    @pytest.mark.parametrize("end", WAYS)
    async def test_ended_queue_is_refused_by_the_other_process(
        self, world: World, end: End
    ) -> None:
        await end(world)

        async def is_refused() -> bool:
            response = await world.listener.poll(dont_block=True)
            return response.status == 400 and response["code"] == "BAD_EVENT_QUEUE_ID"

        await until_true(is_refused)

    async def test_ended_queue_ends_a_poll_that_waits_in_the_other_process(
        self, world: World, realm: RealmRecord, other: ChatApp
    ) -> None:
        poll = asyncio.create_task(world.listener.poll())
        await until_polls_wait(other.runtime, realm)
        await delete_it(world)
        assert_error(await poll, "BAD_EVENT_QUEUE_ID", queue_id=world.listener.queue_id)

    async def test_other_queues_of_the_user_go_on(
        self, world: World, realm: RealmRecord, other: ChatApp
    ) -> None:
        second = await listen(world.there, world.bot, event_types=["test_note"])
        await delete_it(world)
        await catch_up_with_other_processes(other.runtime, realm)
        assert_success(await second.poll(dont_block=True))

    async def test_expired_queue_is_refused_by_the_other_process(
        self, world: World, runtime: Runtime, clock: MovableClock
    ) -> None:
        clock.advance(hours=6, minutes=2)
        await expire_queues(runtime)
        response = await world.listener.poll(dont_block=True)
        assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id=world.listener.queue_id)

    async def test_process_whose_clock_is_slow_refuses_an_expired_queue(
        self, world: World, runtime: Runtime, clock: MovableClock
    ) -> None:
        clock.advance(hours=6, minutes=2)
        await expire_queues(runtime)
        clock.advance(minutes=-3)
        response = await world.listener.poll(dont_block=True)
        assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id=world.listener.queue_id)


class TestCost:
    async def test_registration_that_ends_no_queue_does_not_lock_the_realm(
        self, client: ApiClient, runtime: Runtime, member: Person
    ) -> None:
        assert_success(await client.get("/users/me", member))
        with statements_under_lock(runtime.database) as statements:
            await listen(client, member, fetch_event_types=[])
        assert statements == []

    async def test_end_of_many_queues_is_one_event(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        for _ in range(QUEUES_PER_USER):
            await listen(client, member)
        feed = await runtime.hub.feed(realm.id)
        before = feed.position or EventNumber(0)
        assert_success(await client.post("/users/me/api_key/regenerate", member))
        ended = [entry.event for entry in feed.since(before) if entry.event.ended_queues()]
        assert [len(event.ended_queues()) for event in ended] == [QUEUES_PER_USER]
