"""Event queues as clients see them: POST /register, GET /events and DELETE /events."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import UserId
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.models import EventQueueRow, EventRow
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import RoleAtLeast, Users
from chatapi.jobs.periodic_jobs import expire_queues, trim_event_log
from tests.factories import MakeUser, Person
from tests.support.account_changes import change_role, deactivate, replace_api_key
from tests.support.apps import StartApp, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success
from tests.support.sample_events import Graded, Noted, PersonTouched, Whispered, commit_events
from tests.support.statements import recorded_statements
from tests.support.waiting import catch_up_with_other_processes, until_polls_wait, waiting_polls

Change = Callable[[Runtime, RealmRecord, Person], Awaitable[object]]


def texts(events: list[dict[str, object]]) -> list[object]:
    return [event["text"] for event in events]


@pytest.fixture
async def listener(client: ApiClient, member: Person) -> Listener:
    return await listen(client, member, event_types=["test_note", "test_whisper", "test_grade"])


class TestReading:
    async def test_events_come_in_order_with_growing_ids(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        expected = [
            {"id": listener.id_after(place), "type": "test_note", "text": text}
            for place, text in enumerate("abc", start=1)
        ]
        for text in "abc":
            await commit_events(runtime, realm, Noted(text=text))
        assert await listener.new_events() == expected

    async def test_repeated_poll_returns_the_same_events(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        first = await listener.poll(dont_block=True)
        again = await listener.poll(dont_block=True)
        assert first["events"] == again["events"] != []

    async def test_poll_returns_only_events_after_last_event_id(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        response = await listener.poll(last_event_id=listener.id_after(1), dont_block=True)
        assert texts(response["events"]) == ["b"]

    @pytest.mark.parametrize("last_event_id", [{}, {"last_event_id": -1}, {"last_event_id": 0}])
    async def test_events_before_registration_are_never_returned(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        last_event_id: dict[str, int],
    ) -> None:
        await commit_events(runtime, realm, Noted(text="before"))
        listener = await listen(client, member)
        await commit_events(runtime, realm, Noted(text="after"))
        response = await client.get(
            "/events", member, queue_id=listener.queue_id, dont_block=True, **last_event_id
        )
        assert texts(response["events"]) == ["after"]

    async def test_only_requested_event_types_are_delivered(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["test_grade"])
        await commit_events(runtime, realm, Noted(text="a"), Graded(public="b", private="c"))
        assert [event["type"] for event in await listener.new_events()] == ["test_grade"]

    async def test_event_is_delivered_to_its_audience_only(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, make_user: MakeUser
    ) -> None:
        first, second = await make_user(), await make_user()
        mine = await listen(client, first, event_types=["test_note"])
        other = await listen(client, second, event_types=["test_note"])
        await commit_events(runtime, realm, Noted(text="x"), to=Users.only(first.user_id))
        assert texts(await mine.new_events()) == ["x"]
        assert await other.new_events() == []

    async def test_each_reader_gets_the_form_for_their_role(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person, member: Person
    ) -> None:
        listeners = [
            await listen(client, who, event_types=["test_grade"]) for who in (admin, member)
        ]
        await commit_events(runtime, realm, Graded(public="a", private="b"))
        seen = [event for who in listeners for event in await who.new_events()]
        assert [event["private"] for event in seen] == ["b", None]
        assert {event["op"] for event in seen} == {"given"}

    async def test_more_events_than_fit_in_memory_are_all_delivered(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        for _ in range(3):
            await commit_events(runtime, realm, *(Noted(text=str(n)) for n in range(900)))
        events = await listener.new_events()
        assert len(events) == 2700
        assert texts(events) == [str(n) for n in range(900)] * 3


class TestAcknowledging:
    """Passing an event's id acknowledges it: the event is not delivered again."""

    @pytest.mark.parametrize("older", [-1, 0])
    async def test_acknowledged_events_are_not_delivered_again(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, older: int
    ) -> None:
        start, second = listener.last_event_id, listener.id_after(2)
        await commit_events(runtime, realm, *(Noted(text=text) for text in "abc"))
        await listener.poll(last_event_id=second, dont_block=True)
        for last_event_id in (older, start, second):
            response = await listener.poll(last_event_id=last_event_id, dont_block=True)
            assert texts(response["events"]) == ["c"]

    async def test_poll_with_last_event_id_minus_one_acknowledges_nothing(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"))
        for _ in range(2):
            response = await listener.poll(last_event_id=-1, dont_block=True)
            assert texts(response["events"]) == ["a"]

    async def test_id_greater_than_all_events_acknowledges_nothing(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"))
        assert_error(
            await listener.poll(last_event_id=listener.id_after(1000)), "BAD_EVENT_QUEUE_ID"
        )
        assert texts(await listener.new_events()) == ["a"]

    async def test_poll_that_acknowledges_writes_nothing(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        with recorded_statements(runtime.database, "event_queue") as statements:
            assert texts(await listener.new_events()) == ["a", "b"]
        assert statements == []

    async def test_other_process_sees_acknowledgement_after_next_periodic_job(
        self, start_app: StartApp, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        await listener.poll(last_event_id=listener.id_after(1), dont_block=True)
        await expire_queues(runtime)
        listener.client = ApiClient(await start_app())
        response = await listener.poll(last_event_id=-1, dont_block=True)
        assert texts(response["events"]) == ["b"]
        await listener.client.aclose()

    async def test_acknowledgement_survives_an_orderly_shutdown(
        self,
        settings: Settings,
        clock: MovableClock,
        start_app: StartApp,
        runtime: Runtime,
        realm: RealmRecord,
        listener: Listener,
    ) -> None:
        async with running_app(settings, clock) as ending:
            listener.client = ApiClient(ending)
            await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
            await catch_up_with_other_processes(ending.runtime, realm)
            await listener.poll(last_event_id=listener.id_after(1), dont_block=True)
            await listener.client.aclose()
        listener.client = ApiClient(await start_app())
        response = await listener.poll(last_event_id=-1, dont_block=True)
        assert texts(response["events"]) == ["b"]
        await listener.client.aclose()

    async def test_queue_never_goes_back_before_acknowledgement_stored_by_another_process(
        self, start_app: StartApp, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        other = await start_app()
        here, there = listener.client, ApiClient(other)
        await commit_events(runtime, realm, *(Noted(text=text) for text in "abc"))
        await catch_up_with_other_processes(other.runtime, realm)
        await listener.poll(last_event_id=listener.id_after(2), dont_block=True)
        listener.client = there
        await listener.poll(last_event_id=listener.id_after(1), dont_block=True)
        await expire_queues(runtime)
        await expire_queues(other.runtime)
        async with DatabaseSession(runtime.database) as db:
            [position] = (await db.execute(select(EventQueueRow.position))).scalars()
        assert position == listener.id_after(2)
        listener.client = here
        await there.aclose()


class TestWaiting:
    async def test_a_poll_waits_for_the_first_event(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        await commit_events(runtime, realm, Noted(text="a"))
        assert texts(await poll) == ["a"]
        assert waiting_polls(runtime, realm) == 0

    async def test_two_polls_on_one_queue_both_get_the_event(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        polls = [asyncio.create_task(listener.poll()) for _ in range(2)]
        await until_polls_wait(runtime, realm, 2)
        await commit_events(runtime, realm, Noted(text="a"))
        assert [texts((await poll)["events"]) for poll in polls] == [["a"], ["a"]]

    async def test_cancelled_poll_loses_no_events(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        dropped = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        dropped.cancel()
        await until_polls_wait(runtime, realm, 0)
        await commit_events(runtime, realm, Noted(text="a"))
        assert texts(await listener.next_events()) == ["a"]

    async def test_poll_with_dont_block_returns_empty_list_without_events(
        self, listener: Listener
    ) -> None:
        assert assert_success(await listener.poll(dont_block=True)) == {"events": []}

    async def test_shutdown_answers_waiting_polls(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        runtime.hub.wake_all_polls()
        assert [event["type"] for event in await poll] == ["heartbeat"]


class TestHeartbeat:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"heartbeat_seconds": 0.05})

    async def test_poll_without_events_is_answered_with_a_heartbeat(
        self, listener: Listener
    ) -> None:
        events = await listener.next_events()
        assert events == [{"id": listener.last_event_id, "type": "heartbeat"}]

    async def test_heartbeat_id_acknowledges_events_for_other_users(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        passed = listener.id_after(1)
        await commit_events(runtime, realm, Noted(text="x"), to=Users.only(UserId(10**9)))
        assert await listener.next_events() == [{"id": passed + 1, "type": "heartbeat"}]
        await commit_events(runtime, realm, Noted(text="y"))
        assert texts(await listener.next_events()) == ["y"]


class TestEphemeralEvents:
    async def test_is_delivered_once_in_order_with_logged_events(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"))
        await commit_events(runtime, realm, Whispered(text="b"))
        await commit_events(runtime, realm, Noted(text="c"))
        events = (await listener.poll(dont_block=True))["events"]
        assert texts(events) == ["a", "b", "c"]
        assert events[0]["id"] < events[1]["id"] < events[2]["id"]
        assert texts((await listener.poll(dont_block=True))["events"]) == ["a", "c"]

    async def test_wakes_a_poll(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        await commit_events(runtime, realm, Whispered(text="a"))
        assert texts(await poll) == ["a"]

    async def test_ids_never_decrease(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        """An ephemeral event from before many logged events is delivered after them."""
        await commit_events(runtime, realm, Whispered(text="old"))
        await commit_events(runtime, realm, *(Noted(text=str(n)) for n in range(1500)))
        events = await listener.new_events()
        assert len(events) == 1501

    async def test_is_delivered_to_the_latest_poll(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        """A client that polls again has given up its earlier poll, whatever happened to it."""
        given_up = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm, 2)
        await commit_events(runtime, realm, Whispered(text="a"))
        assert texts((await poll)["events"]) == ["a"]
        await commit_events(runtime, realm, Noted(text="b"))
        assert texts((await given_up)["events"]) == ["b"]

    async def test_is_not_delivered_to_queues_registered_later(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        await commit_events(runtime, realm, Whispered(text="a"))
        assert await (await listen(client, member)).new_events() == []


class TestOwnership:
    async def test_another_users_queue_is_unknown(
        self, client: ApiClient, listener: Listener, admin: Person
    ) -> None:
        for method in (client.get, client.delete):
            response = await method("/events", admin, queue_id=listener.queue_id)
            assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)

    async def test_invalid_queue_id_is_unknown(self, client: ApiClient, member: Person) -> None:
        response = await client.get("/events", member, queue_id="no-such-queue", last_event_id=1)
        message = assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id="no-such-queue")
        assert "no-such-queue" in message

    async def test_poll_without_credentials_is_refused(
        self, client: ApiClient, listener: Listener
    ) -> None:
        response = await client.get("/events", queue_id=listener.queue_id)
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_queue_id_is_required(self, client: ApiClient, member: Person) -> None:
        assert assert_error(await client.get("/events", member)) == "Missing 'queue_id' argument"


class TestLastEventId:
    async def test_id_greater_than_all_events_makes_the_queue_bad(self, listener: Listener) -> None:
        response = await listener.poll(last_event_id=listener.id_after(1000))
        assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)

    @pytest.mark.parametrize("bad", ["x", "1.5", "-2", "9223372036854775808", "[1]"])
    async def test_must_be_a_valid_event_id(self, listener: Listener, bad: str) -> None:
        assert "last_event_id" in assert_error(await listener.poll(last_event_id=bad))


class TestDeletion:
    async def test_deleted_queue_is_unknown(self, client: ApiClient, listener: Listener) -> None:
        assert_success(await client.delete("/events", listener.person, queue_id=listener.queue_id))
        assert_error(await listener.poll(), "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)
        again = await client.delete("/events", listener.person, queue_id=listener.queue_id)
        assert_error(again, "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)

    async def test_ends_a_waiting_poll(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        await client.delete("/events", listener.person, queue_id=listener.queue_id)
        assert_error(await poll, "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)


class TestExpiry:
    async def test_idle_queue_expires(
        self, runtime: Runtime, listener: Listener, clock: MovableClock
    ) -> None:
        clock.advance(hours=6, minutes=2)
        assert_error(await listener.poll(), "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)
        await runtime.queues.expire()
        assert_error(await listener.poll(), "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)

    async def test_polling_keeps_a_queue_alive(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, clock: MovableClock
    ) -> None:
        for _ in range(4):
            clock.advance(hours=5)
            assert_success(await listener.poll(dont_block=True))
            await runtime.queues.expire()
        await commit_events(runtime, realm, Noted(text="a"))
        assert texts(await listener.new_events()) == ["a"]

    async def test_client_chooses_the_lifespan(
        self, client: ApiClient, member: Person, clock: MovableClock
    ) -> None:
        short = await listen(client, member, idle_queue_timeout=600)
        long = await listen(client, member, idle_queue_timeout=12 * 3600)
        assert short.state["idle_queue_timeout_secs"] == 600
        clock.advance(hours=7)
        assert_error(await short.poll(), "BAD_EVENT_QUEUE_ID", queue_id=short.queue_id)
        assert_success(await long.poll(dont_block=True))

    async def test_no_queue_outlives_the_log(self, client: ApiClient, member: Person) -> None:
        for asked in ("mobile", '"mobile"', 10**12):
            listener = await listen(client, member, idle_queue_timeout=asked)
            assert listener.state["idle_queue_timeout_secs"] == 24 * 3600

    async def test_queue_with_short_lifespan_lives_while_it_is_polled(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        clock: MovableClock,
    ) -> None:
        listener = await listen(client, member, idle_queue_timeout=1)
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        clock.advance(seconds=50)
        await runtime.queues.expire()
        await commit_events(runtime, realm, Noted(text="a"))
        assert texts((await poll)["events"]) == ["a"]
        assert_success(await listener.poll(dont_block=True))


class TestMemory:
    async def test_queue_without_client_costs_a_row_and_no_memory(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        runtime.queues.evict_queues_not_polled_for(seconds=0)
        assert len(runtime.queues._live) == 0
        await commit_events(runtime, realm, Noted(text="a"))
        assert texts(await listener.new_events()) == ["a"]
        assert len(runtime.queues._live) == 1


class TestSurplus:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"queues_per_user": 3})

    async def test_oldest_queue_is_evicted(
        self, client: ApiClient, member: Person, clock: MovableClock
    ) -> None:
        listeners = []
        for _ in range(4):
            listeners.append(await listen(client, member))
            clock.advance(seconds=1)
        first, *others = listeners
        assert_error(await first.poll(), "BAD_EVENT_QUEUE_ID", queue_id=first.queue_id)
        for listener in others:
            assert_success(await listener.poll(dont_block=True))

    async def test_new_queue_is_never_evicted_in_favour_of_longer_lived_ones(
        self, client: ApiClient, member: Person
    ) -> None:
        for _ in range(3):
            await listen(client, member)
        newest = await listen(client, member, idle_queue_timeout=60)
        assert_success(await newest.poll(dont_block=True))

    async def test_waiting_poll_on_evicted_queue_ends(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        first = await listen(client, member, idle_queue_timeout=60)
        poll = asyncio.create_task(first.poll())
        await until_polls_wait(runtime, realm)
        for _ in range(3):
            await listen(client, member)
        assert_error(await poll, "BAD_EVENT_QUEUE_ID", queue_id=first.queue_id)


class TestTrimmedLog:
    async def test_queue_whose_events_were_trimmed_is_bad(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, clock: MovableClock
    ) -> None:
        await commit_events(runtime, realm, *(Noted(text=str(n)) for n in range(1100)))
        for _ in range(5):
            clock.advance(hours=5)
            assert_success(await listener.poll(dont_block=True))
        await trim_event_log(runtime)
        response = await listener.poll(dont_block=True)
        assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)

    async def test_queue_whose_client_has_all_events_goes_on(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, clock: MovableClock
    ) -> None:
        await commit_events(runtime, realm, *(Noted(text=str(n)) for n in range(1100)))
        caught_up = listener.id_after(1100)
        for _ in range(5):
            clock.advance(hours=5)
            assert_success(await listener.poll(last_event_id=caught_up, dont_block=True))
        await trim_event_log(runtime)
        for last_event_id in (caught_up, listener.last_event_id):
            response = await listener.poll(last_event_id=last_event_id, dont_block=True)
            assert response["events"] == []

    async def test_trimmed_events_still_in_memory_are_delivered(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, clock: MovableClock
    ) -> None:
        clock.advance(hours=5)
        assert_success(await listener.poll(dont_block=True))
        await commit_events(runtime, realm, Noted(text="a"))
        await trim_event_log(runtime)
        assert texts(await listener.new_events()) == ["a"]

    async def test_process_that_trims_does_not_follow_realms_it_does_not_serve(
        self, runtime: Runtime, realm: RealmRecord, clock: MovableClock, start_app: StartApp
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"))
        clock.advance(hours=25)
        idle = (await start_app()).runtime
        await trim_event_log(idle)
        async with idle.reading() as db:
            assert (await db.execute(select(EventRow.number))).all() == []
        assert realm.id not in idle.hub._feeds


class TestOtherProcesses:
    async def test_a_queue_survives_a_restart(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, start_app: StartApp
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"))
        restarted = await start_app()
        listener.client = ApiClient(restarted)
        assert texts(await listener.new_events()) == ["a"]
        await commit_events(restarted.runtime, realm, Noted(text="b"))
        assert texts(await listener.new_events()) == ["b"]

    async def test_two_processes_serve_one_queue(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, start_app: StartApp
    ) -> None:
        here, there = listener.client, ApiClient(await start_app())
        for number in range(6):
            await commit_events(runtime, realm, Noted(text=str(number)))
            listener.client = there if number % 2 else here
            assert texts(await listener.next_events()) == [str(number)]

    async def test_waiting_poll_gets_events_of_another_process_without_a_bus(
        self, realm: RealmRecord, listener: Listener, runtime: Runtime, start_app: StartApp
    ) -> None:
        other = await start_app()
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        await commit_events(other.runtime, realm, Noted(text="a"))
        assert texts(await poll) == ["a"]

    async def test_a_queue_deleted_elsewhere_cannot_be_loaded(
        self, listener: Listener, start_app: StartApp, client: ApiClient
    ) -> None:
        await client.delete("/events", listener.person, queue_id=listener.queue_id)
        listener.client = ApiClient(await start_app())
        assert_error(await listener.poll(), "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)


class TestChangedReader:
    async def test_waiting_poll_uses_the_changed_role_of_its_reader(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person, owner: Person
    ) -> None:
        """A demoted administrator gets no further events meant for administrators."""
        listener = await listen(client, admin, event_types=["test_note"])
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        await change_role(runtime, realm, admin, Role.MEMBER)
        await commit_events(runtime, realm, Noted(text="secret"), to=RoleAtLeast(role=Role.ADMIN))
        await commit_events(runtime, realm, Noted(text="public"))
        assert texts(await poll) == ["public"]

    async def test_process_delivers_only_events_its_caches_have_seen(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        owner: Person,
        start_app: StartApp,
    ) -> None:
        """The log may already hold events that a process's caches have not processed."""
        listener = await listen(client, admin, event_types=["test_note"])
        await commit_events(runtime, realm, Noted(text="known"))
        listener.client = ApiClient(await start_app())
        assert_success(await listener.client.get("/users/me", admin))
        await change_role(runtime, realm, admin, Role.MEMBER)
        await commit_events(runtime, realm, Noted(text="secret"), to=RoleAtLeast(role=Role.ADMIN))
        assert texts(await listener.next_events()) == ["known"]

    async def test_poll_keeps_waiting_when_reader_is_invalidated_without_change(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener
    ) -> None:
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        await commit_events(
            runtime, realm, PersonTouched(user_ids=frozenset({listener.person.user_id}))
        )
        await until_polls_wait(runtime, realm)
        await commit_events(runtime, realm, Noted(text="a"))
        assert texts(await poll) == ["a"]

    @pytest.mark.parametrize("end", [deactivate, replace_api_key])
    async def test_revoked_credentials_end_a_waiting_poll(
        self, runtime: Runtime, realm: RealmRecord, owner: Person, listener: Listener, end: Change
    ) -> None:
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        await end(runtime, realm, listener.person)
        assert_error(await poll, "UNAUTHORIZED", 401)
