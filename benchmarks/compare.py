"""Two variants of the service side by side: what a change or a setting costs."""

import asyncio
import itertools
import json
import os
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvloop

from benchmarks.databases import databases
from benchmarks.http_client import Account, Connection, build_request
from benchmarks.messages import (
    NARROWS,
    first_unread_of_topic,
    narrows,
    newest_of_all,
    newest_of_topic,
    page_of_channel,
    searches,
)
from benchmarks.report import Report
from benchmarks.servers import RunningServer, chat_server
from benchmarks.variants import Variant
from benchmarks.workloads import Cost, cost_of, open_pollers
from benchmarks.world import World

_ROUNDS = 10
_POLLERS = 50
_MESSAGES = 50_000
_PAGE = 100
# Run by the code of the version that it prepares a database for.
_PREPARE = """
import dataclasses, json, sys
from benchmarks.servers import create_account, run_command
from benchmarks.world import Size, fill
environment = json.loads(sys.argv[1])
run_command(environment, "db", "upgrade")
run_command(environment, "org", "create", "--name", "Benchmark")
owner = create_account(environment, "owner@example.com", "owner")
world = fill(environment["CHATAPI_DATABASE_URL"], Size(people=1_000, channels=200, messages=50_000))
print(json.dumps({"owner": dataclasses.asdict(owner), "world": dataclasses.asdict(world)}))
"""


@dataclass(frozen=True)
class Version:
    """One of the two variants, running with a database of its own."""

    server: RunningServer
    world: World
    owner: Account


Measurement = Callable[[Version, int], Awaitable[Cost]]
"""Does something so many times with one version."""
Workload = Callable[[Version, int], list[bytes]]
"""So many requests of one kind; each version has ids of its own."""


def compare(
    report: Report, before: Variant, now: Variant, scale: float, only: str | None = None
) -> None:
    """Measure two variants in turns: all kinds of requests, or one kind."""
    with (
        _running(report.database, before) as old,
        _running(report.database, now) as new,
    ):
        for name, (measure, count) in MEASUREMENTS.items():
            if only not in {None, name}:
                continue
            ratios = uvloop.run(_ratios(old, new, measure, max(8, int(count * scale))))
            report.add(f"{name}, processor time / before", ratios.processor, expected="<= 1.05")
            report.add(f"{name}, time on the clock / before", ratios.clock)


async def _ratios(old: Version, new: Version, measure: Measurement, count: int) -> Cost:
    """Medians of the rounds; who comes first changes from round to round."""
    rounds: list[Cost] = []
    for number in range(_ROUNDS):
        step = -1 if number % 2 else 1
        costs = [await measure(version, count) for version in (old, new)[::step]]
        before, after = costs[::step]
        rounds.append(Cost(after.processor / before.processor, after.clock / before.clock))
    return Cost(
        statistics.median(each.processor for each in rounds),
        statistics.median(each.clock for each in rounds),
    )


def _requests(workload: Workload) -> Measurement:
    async def measure(version: Version, count: int) -> Cost:
        return await cost_of(version.server, workload(version, count))

    return measure


async def _deliveries(version: Version, count: int) -> Cost:
    """Messages to a channel in which clients wait for events."""
    port = version.server.port
    waiting = await open_pollers(port, version.world.readers, _POLLERS)
    sender = await Connection.open(port)
    [message] = _sends(version, 1)
    clock = 0.0
    processor = version.server.processor_seconds()
    for _ in range(count):
        polls = [asyncio.create_task(poller.poll_once()) for poller in waiting]
        # Until all of them wait; a poll that comes late finds the event.
        await asyncio.sleep(_POLLERS / 1_000)
        sent = time.perf_counter()
        await sender.send(message)
        clock += max(await asyncio.gather(*polls)) - sent
    processor = version.server.processor_seconds() - processor
    for poller in waiting:
        poller.close()
    sender.close()
    return Cost(processor, clock)


@contextmanager
def _running(database: str, variant: Variant) -> Iterator[Version]:
    with databases(database) as (url, _):
        environment = {
            **variant.environment(variant.checkout),
            "CHATAPI_DATABASE_URL": url,
            "CHATAPI_RATE_LIMITS": "off",
            "CHATAPI_QUEUES_PER_USER": "5000",
            "CHATAPI_LOG_LEVEL": "warning",
        }
        prepared = subprocess.run(
            [variant.python, "-c", _PREPARE, json.dumps(environment)],
            env={**os.environ, **environment},
            cwd=variant.checkout,
            check=True,
            stdout=subprocess.PIPE,
        )
        found = json.loads(prepared.stdout)
        world = World(
            **{
                **found["world"],
                "readers": [Account(**reader) for reader in found["world"]["readers"]],
            }
        )
        with chat_server(environment, variant.python) as server:
            yield Version(server, world, Account(**found["owner"]))


def _sends(version: Version, count: int) -> list[bytes]:
    message = {
        "type": "channel",
        "to": version.world.history_channel,
        "topic": "greetings",
        "content": "Hello world, how are you today?",
    }
    return [build_request("POST", "/api/v1/messages", version.owner, message)] * count


def _history(version: Version, count: int) -> list[bytes]:
    return [newest_of_topic(version.world, version.world.readers[0])] * count


def _first_unread(version: Version, count: int) -> list[bytes]:
    return [first_unread_of_topic(version.world, version.world.readers[0])] * count


def _newest(version: Version, count: int) -> list[bytes]:
    return [newest_of_all(version.world.readers[0])] * count


def _pages() -> Workload:
    """Through a channel, page by page, again and again: such pages are in no cache."""
    starts: dict[int, Iterator[int]] = {}

    def workload(version: Version, count: int) -> list[bytes]:
        world, port = version.world, version.server.port
        anchors = starts.setdefault(port, itertools.cycle(range(_PAGE, _MESSAGES, _PAGE)))
        return [page_of_channel(world, world.readers[0], next(anchors)) for _ in range(count)]

    return workload


def _narrow(name: str) -> Workload:
    def workload(version: Version, count: int) -> list[bytes]:
        return narrows(version.world, count)[name]

    return workload


def _users(version: Version, count: int) -> list[bytes]:
    return [build_request("GET", "/api/v1/users", version.world.readers[0])] * count


async def _unchanged_users(version: Version, count: int) -> Cost:
    """Of a client that has the list already."""
    [request] = _users(version, 1)
    connection = await Connection.open(version.server.port)
    await connection.send(request)
    connection.close()
    reader = version.world.readers[0]
    unchanged = build_request("GET", "/api/v1/users", reader, etag=connection.etag)
    return await cost_of(version.server, [unchanged] * count)


def _searches(version: Version, count: int) -> list[bytes]:
    """By one account, which may run only a few searches at once."""
    kinds = searches(version.world.readers[0], count // 2).values()
    return [request for kind in kinds for request in kind]


def _searches_by_many(version: Version, count: int) -> list[bytes]:
    readers = version.world.readers
    asked = [searches(readers[number % len(readers)], 1) for number in range(count // 2)]
    return [request for kinds in asked for kind in kinds.values() for request in kind]


def _registrations(version: Version, count: int) -> list[bytes]:
    return [build_request("POST", "/api/v1/register", version.world.readers[0])] * count


def _own_user(version: Version, count: int) -> list[bytes]:
    return [build_request("GET", "/api/v1/users/me", version.owner)] * count


MEASUREMENTS: dict[str, tuple[Measurement, int]] = {
    "GET /users/me": (_requests(_own_user), 2_000),
    "send": (_requests(_sends), 1_000),
    f"delivery to {_POLLERS} pollers": (_deliveries, 25),
    "newest 100 of a topic": (_requests(_history), 200),
    "first unread of a topic, 50 on each side": (_requests(_first_unread), 100),
    "100 of a channel, other ones each time": (_requests(_pages()), 200),
    "newest 100 of all messages": (_requests(_newest), 200),
    **{name: (_requests(_narrow(name)), 100) for name in NARROWS},
    "GET /users": (_requests(_users), 200),
    "GET /users, unchanged (304)": (_unchanged_users, 1_000),
    "search": (_requests(_searches), 200),
    "search by different people": (_requests(_searches_by_many), 200),
    "register": (_requests(_registrations), 80),
}
