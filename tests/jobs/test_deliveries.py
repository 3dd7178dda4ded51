"""The job that delivers scheduled messages, in applications that run it by themselves."""

from datetime import UTC, datetime

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import SystemClock, unix_seconds
from chatapi.core.settings import Settings
from chatapi.jobs import deliveries
from tests import factories
from tests.factories import Person
from tests.features.messages.scheduled.scheduling import (
    schedule,
    scheduled_of,
    seconds_from_now,
    to_people,
)
from tests.support.apps import StartApp, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen

TRIES = 5
"""A machine that runs many tests at once may delay some of the messages, but not all of them."""


@pytest.mark.slow
async def test_delivers_within_a_second_of_the_time(settings: Settings) -> None:
    """By the clock of the machine."""
    async with running_app(settings, SystemClock()) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        person = await factories.make_user(app.runtime, realm)
        client = ApiClient(app)
        listener = await listen(client, person, event_types=["message"])
        delays: list[float] = []
        while len(delays) < TRIES and not any(delay < 1 for delay in delays):
            at = unix_seconds(datetime.now(UTC)) + 3
            await schedule(client, person, to_people(person), at)
            [event] = await listener.next_events()
            delays.append(datetime.now(UTC).timestamp() - at)
            assert event["message"]["timestamp"] == at
        await client.aclose()
    assert 0 <= min(delays) < 1


async def test_is_woken_by_a_newly_scheduled_message(
    monkeypatch: pytest.MonkeyPatch, start_app: StartApp, clock: MovableClock
) -> None:
    """However long it would have slept."""
    monkeypatch.setattr(deliveries, "POLL_INTERVAL_SECONDS", 3600)
    app = await start_app()
    realm = await factories.make_realm(app.runtime, "Acme")
    person = await factories.make_user(app.runtime, realm)
    client = ApiClient(app)
    listener = await listen(client, person, event_types=["message"])
    in_an_hour = seconds_from_now(clock, 3600)
    await schedule(client, person, to_people(person), in_an_hour, content="first")
    clock.advance(hours=1)
    await schedule(client, person, to_people(person), seconds_from_now(clock, 1))
    [event] = await listener.next_events()
    assert event["message"]["content"] == "first"
    await client.aclose()


async def test_delivers_messages_scheduled_by_a_stopped_process(
    settings: Settings,
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    clock: MovableClock,
    member: Person,
) -> None:
    """It is not notified: the process that took the request is gone."""
    listener = await listen(client, member, event_types=["message"])
    async with running_app(settings, clock) as other:
        elsewhere = ApiClient(other)
        await schedule(elsewhere, member, to_people(member), seconds_from_now(clock, 60))
        await elsewhere.aclose()
    clock.advance(minutes=1)
    assert len(await listener.next_events()) == 1
    assert await scheduled_of(client, member) == []
