"""How the cost of requests grows with users, channels, messages, organizations and polls."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import uvloop

from benchmarks.http_client import build_request
from benchmarks.messages import first_unread_of_all, newest_of_topic, searches
from benchmarks.report import Report
from benchmarks.running import Measured, hello, running
from benchmarks.workloads import cost_of, open_pollers, until_idle
from benchmarks.world import Size

_BASE = Size(people=1_000, channels=20, messages=10_000, unread=0)
_WARM_UP = 24
"""Requests before those that count: for caches, and prepared statements of each connection."""


@dataclass(frozen=True)
class Growth:
    """One quantity that grows while all others stay as they are."""

    name: str
    numbers: Sequence[int]
    size: Callable[[int], Size]
    are_polls: bool = False
    """Whether the numbers are those of polls that wait, for which the server must be running."""


GROWTHS = (
    Growth(
        "users",
        (100, 1_000, 10_000, 50_000),
        lambda number: replace(_BASE, people=number, readers=50),
    ),
    Growth("channels", (20, 200, 2_000), lambda number: replace(_BASE, channels=number)),
    Growth(
        "messages",
        (10_000, 100_000, 1_000_000),
        lambda number: replace(_BASE, messages=number),
    ),
    Growth(
        "unread messages",
        (0, 2_000, 20_000, 200_000),
        lambda number: replace(_BASE, messages=200_000, unread=number),
    ),
    Growth("organizations", (1, 100, 1_000), lambda number: replace(_BASE, organizations=number)),
    Growth("waiting polls", (0, 200, 2_000, 10_000), lambda _number: _BASE, are_polls=True),
)


def measure_growth(report: Report, scale: float) -> None:
    """In processor time of the server, which other load of the machine changes little."""
    for growth in GROWTHS:
        rows: dict[str, list[float]] = {}
        for number in growth.numbers:
            with running(report, scale, growth.size(number)) as on:
                costs = uvloop.run(_costs(on, polls=number if growth.are_polls else 0))
            for name, cost in costs.items():
                rows.setdefault(name, []).append(cost)
        for name, found in rows.items():
            for number, cost in zip(growth.numbers, found, strict=True):
                report.add(f"{name}, {number:,} {growth.name}: processor time", cost, "ms")


async def _costs(on: Measured, polls: int) -> dict[str, float]:
    """The milliseconds of each kind of request, while others wait for events."""
    waiting = await open_pollers(on.chat.port, on.world.readers[1:], polls)
    for poller in waiting:
        poller.poll()
    await until_idle(on.chat)
    costs = await _costs_of_requests(on)
    for poller in waiting:
        poller.close()
    return costs


async def _costs_of_requests(on: Measured) -> dict[str, float]:
    reader = on.world.readers[0]
    kinds = {
        "send": [hello(on.owner, on.world.channels_by_size[10])] * on.rounds(400),
        "newest 100 of a topic": [newest_of_topic(on.world, reader)] * on.rounds(400),
        "search": searches(reader, on.rounds(100))["a rare word"],
        "first unread message": [first_unread_of_all(reader)] * on.rounds(50),
        "register": [build_request("POST", "/api/v1/register", reader)] * on.rounds(50),
    }
    costs: dict[str, float] = {}
    for name, requests in kinds.items():
        await cost_of(on.chat, requests[:_WARM_UP])
        cost = await cost_of(on.chat, requests)
        costs[name] = cost.processor * 1000 / len(requests)
    return costs
