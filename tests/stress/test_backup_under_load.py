"""A backup that is made while sixteen users work shows one moment of the organization.

Each user's events up to that moment, applied to what they saw before, give exactly what the
restored server shows.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chatapi.core.clock import SystemClock
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from tests import factories
from tests.backup.conftest import MakeEmpty, empty_databases
from tests.factories import Person
from tests.stress.busy_organization import (
    Client,
    Moment,
    Seen,
    Worker,
    change_roles,
    clients_of,
)
from tests.support.apps import running_app
from tests.support.client import encode_form
from tests.support.command import Command
from tests.support.server_process import server_process
from tests.support.servers import Servers
from tests.support.waiting import until

SENDERS = 16
MESSAGES_BEFORE = MESSAGES_AFTER = 60
ADDRESS = "https://chat.example.com"

pytestmark = pytest.mark.slow


@pytest.fixture
async def make_empty(
    servers: Servers, tmp_path: Path, worker_name: str
) -> AsyncIterator[MakeEmpty]:
    async with empty_databases(servers, tmp_path, f"chatapi_load_{worker_name}") as make:
        yield make


@dataclass(frozen=True)
class Load:
    """What happened at the original while the backup was made."""

    before: list[Seen]
    events: list[list[dict[str, Any]]]
    after: list[Seen]
    acknowledged_before: set[int]
    files: dict[str, bytes]
    later_queue: str


def environment(settings: Settings) -> dict[str, str]:
    return {
        "database_url": settings.database_url,
        "data_dir": str(settings.data_dir),
        "public_url": ADDRESS,
        "rate_limits": "off",
        "password_hash_kib": "8",
        "password_hash_rounds": "1",
    }


def command(settings: Settings, folder: Path) -> Command:
    return Command(folder, environment(settings))


async def make_people(settings: Settings) -> list[Person]:
    """An owner, who only watches and changes roles, and those who work."""
    async with running_app(settings, SystemClock()) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        owner = await factories.make_user(app.runtime, realm, Role.OWNER)
        people = [await factories.make_user(app.runtime, realm) for _ in range(SENDERS)]
        await factories.make_channel(
            app.runtime, realm, owner, "busy", subscribers=[owner, *people]
        )
    return [owner, *people]


async def work_and_back_up(clients: list[Client], made_by: Command) -> Load:
    before = [await client.look() for client in clients]
    workers = [Worker(client, random.Random(seed)) for seed, client in enumerate(clients[1:])]
    stop = asyncio.Event()

    def acknowledged() -> set[int]:
        return {message for worker in workers for message in worker.acknowledged}

    async with asyncio.timeout(600), asyncio.TaskGroup() as crowd:
        for worker in workers:
            crowd.create_task(worker.work(stop))
        crowd.create_task(change_roles(clients[0], clients[1].person, stop))
        await until(lambda: len(acknowledged()) >= MESSAGES_BEFORE)
        first = acknowledged()
        await asyncio.to_thread(made_by.answer, "db", "backup", "chat.backup")
        so_far = len(acknowledged())
        later_queue = (await clients[0].look()).queue_id
        await until(lambda: len(acknowledged()) >= so_far + MESSAGES_AFTER)
        stop.set()
    return Load(
        before=before,
        events=[
            await client.list_events(seen) for client, seen in zip(clients, before, strict=True)
        ],
        after=[await client.look() for client in clients],
        acknowledged_before=first,
        files={url: content for worker in workers for url, content in worker.files.items()},
        later_queue=later_queue,
    )


async def test_restored_organization_is_a_moment_of_the_original(
    backend: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    original, copy, quiet_copy = [await make_empty(backend) for _ in range(3)]
    command(original, tmp_path).answer("db", "upgrade")
    people = await make_people(original)
    async with (
        server_process(tmp_path, **environment(original)) as server,
        clients_of(server.url, people) as clients,
    ):
        load = await work_and_back_up(clients, command(original, tmp_path))
        # Nothing changes any more: this one must be equal in everything.
        await asyncio.to_thread(command(original, tmp_path).answer, "db", "backup", "quiet.backup")
    for name, target in (("chat", copy), ("quiet", quiet_copy)):
        command(target, tmp_path).answer("db", "verify", f"{name}.backup")
        command(target, tmp_path).answer("db", "restore", f"{name}.backup")
    async with (
        server_process(tmp_path, **environment(copy)) as server,
        clients_of(server.url, people) as clients,
    ):
        shown = [await client.look() for client in clients]
        check_moment(load, shown)
        await check_files(load, clients[0], shown[0])
        await check_queues(load, clients[0])
    async with (
        server_process(tmp_path, **environment(quiet_copy)) as server,
        clients_of(server.url, people) as clients,
    ):
        for client, seen in zip(clients, load.after, strict=True):
            again = await client.look()
            assert again.messages == seen.messages
            assert again.state == seen.state
        await check_files(load, clients[0], load.after[0])


def check_moment(load: Load, shown: list[Seen]) -> None:
    """What each user sees follows from the events up to the moment of the backup."""
    last = shown[0].last_event_id
    assert load.before[0].last_event_id < last < load.after[0].last_event_id
    assert load.acknowledged_before <= shown[0].messages.keys()
    assert shown[0].messages.keys() < load.after[0].messages.keys()
    for before, events, after, now in zip(load.before, load.events, load.after, shown, strict=True):
        until_then = [event for event in events if event["id"] <= last]
        assert Moment.of(now) == Moment.of(before).after(until_then)
        # And the events are complete, so that this says something.
        assert Moment.of(after) == Moment.of(before).after(events)
        unchanged = {
            key
            for key in before.state.keys() | after.state.keys()
            if before.state.get(key) == after.state.get(key)
        }
        assert len(unchanged) > 200
        assert {key: now.state.get(key) for key in unchanged} == {
            key: before.state.get(key) for key in unchanged
        }


async def check_files(load: Load, client: Client, seen: Seen) -> None:
    """All files that messages link can be opened."""
    texts = " ".join(message["content"] for message in seen.messages.values())
    linked = [url for url in load.files if url in texts]
    assert linked
    for url in linked:
        assert await client.open(url) == load.files[url]


async def check_queues(load: Load, client: Client) -> None:
    """Queues that have delivered later events, or were made later, end."""
    last = load.after[0].last_event_id
    for queue_id in (load.before[0].queue_id, load.later_queue):
        poll = {"queue_id": queue_id, "last_event_id": last, "dont_block": True}
        response = await client.http.get("/events", params=encode_form(poll), auth=client.auth)
        assert response.json()["code"] == "BAD_EVENT_QUEUE_ID", response.text
