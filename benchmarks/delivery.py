"""How long a message takes to the clients that wait for it, and the memory each of them costs."""

import uvloop

from benchmarks.report import Report
from benchmarks.running import Measured, hello, running
from benchmarks.workloads import delivery_latency, kib_per_waiting_queue
from benchmarks.world import Size

_QUEUES = 900
_READERS = 950
"""The last of them warm the server up."""


def measure_memory(report: Report, scale: float) -> None:
    """Of queues that wait; in a new process each time, which reuses no memory of the other."""
    size = Size(people=1_000, channels=10, messages=1_000, readers=_READERS)
    for whose, users, expected in (
        ("one user", 1, "<= 12 KiB"),
        ("each its own user", _READERS, "<= 14 KiB"),
    ):
        with running(report, scale, size) as on:
            memory = uvloop.run(_kib_per_queue(on, users))
            report.add(f"memory per waiting queue, {whose}", memory, "KiB", expected=expected)


async def _kib_per_queue(on: Measured, users: int) -> float:
    message = hello(on.owner, on.world.channels_by_size[1_000])
    return await kib_per_waiting_queue(on.chat, on.world.readers[:users], message, count=_QUEUES)


def measure_delivery(report: Report, scale: float) -> None:
    """To more and more polls of a hundred users."""
    with running(report, scale, Size(people=10_000, channels=10, messages=1_000)) as on:
        uvloop.run(_report_delivery(on))


async def _report_delivery(on: Measured) -> None:
    message = hello(on.owner, on.world.channels_by_size[1_000])
    for polls, rounds, p50, p99 in (
        (200, 30, "<= 7 ms", "<= 15 ms"),
        (2_000, 5, "", ""),
        (5_000, 5, "<= 600 ms", "<= 600 ms"),
    ):
        latency = await delivery_latency(
            on.chat, on.world.readers, message, pollers=polls, rounds=on.rounds(rounds)
        )
        on.report.add(f"delivery to {polls:,} polls, p50", latency.p50, "ms", expected=p50)
        on.report.add(f"delivery to {polls:,} polls, p99", latency.p99, "ms", expected=p99)
        on.report.add("processor time of each", latency.processor_ms, "ms")
    on.report.add("resident memory after that", on.chat.resident_kib() / 1024, "MiB")
