"""How long clients wait for the state they begin with: alone, after a change, and all at once."""

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import uvloop

from benchmarks.http_client import Account, Connection, build_request
from benchmarks.report import Report
from benchmarks.running import Measured, hello, running
from benchmarks.workloads import milliseconds, p99, send_until, timed
from benchmarks.world import Size

_CROWD = 900
_SENDERS = 4
_PAUSE_SECONDS = 0.02
"""Between two messages of a sender: people who write, not a second load."""
_CHANGED_CHANNEL = "channel 0"


def measure_registering(report: Report, scale: float) -> None:
    with running(report, scale, Size(people=1_000, channels=200, messages=1_000)) as on:
        requests = [_register(on.world.readers[0])] * on.rounds(50)
        took = uvloop.run(milliseconds(on.chat.port, requests))
        on.report.add(
            "register, 1,000 users and 200 channels, p50", took, "ms", expected="<= 15 ms"
        )


def measure_registering_at_once(report: Report, scale: float) -> None:
    """All clients of an organization, as after a restart of the server, while others send."""
    crowd = max(50, int(_CROWD * min(scale, 1)))
    size = Size(people=1_000, channels=200, messages=1_000, readers=crowd)
    with running(report, scale, size) as on:
        uvloop.run(_report_crowd(on))


async def _report_crowd(on: Measured) -> None:
    message = hello(on.owner, on.world.channels_by_size[1_000])
    # Clients of their own process: reading so much would delay the clocks of those who send.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as aside:
        loop = asyncio.get_running_loop()
        # Start the process now: only sends beside registering clients count.
        await loop.run_in_executor(aside, _register, on.owner)
        processor = on.chat.processor_seconds()
        crowd = loop.run_in_executor(aside, _register_all, on.chat.port, on.world.readers)
        times = await send_until(
            on.chat.port, message, crowd, connections=_SENDERS, pause=_PAUSE_SECONDS
        )
        seconds, refusals = await crowd
        processor = on.chat.processor_seconds() - processor
    name = f"{len(on.world.readers)} clients register at once, until the last answer"
    on.report.add(name, seconds, "s", expected="<= 5 s")
    per_client = processor * 1000 / len(on.world.readers)
    on.report.add("processor time for each, sends of others included", per_client, "ms")
    on.report.add("503 responses to them", refusals, expected="0")
    on.report.add("send meanwhile, p50", statistics.median(times), "ms")
    on.report.add("send meanwhile, p99", p99(times), "ms", expected="< 100 ms")


def _register_all(port: int, accounts: Sequence[Account]) -> tuple[float, int]:
    """The seconds until the last has its answer, and how many answers were to try again."""
    return uvloop.run(_seconds_until_last(port, accounts))


async def _seconds_until_last(port: int, accounts: Sequence[Account]) -> tuple[float, int]:
    connections = [await Connection.open(port) for _ in accounts]
    requests = [_register(account) for account in accounts]
    started = time.perf_counter()
    refusals = await asyncio.gather(
        *(each.insist(request) for each, request in zip(connections, requests, strict=True))
    )
    seconds = time.perf_counter() - started
    for connection in connections:
        connection.close()
    return seconds, sum(refusals)


def measure_registering_after_changes(report: Report, scale: float) -> None:
    """What another user's change costs those who register next."""
    with running(report, scale, Size(people=10_000, channels=10, messages=1_000)) as on:
        uvloop.run(_report_after_changes(on))


async def _report_after_changes(on: Measured) -> None:
    reader, other, *_ = on.world.readers
    register = _register(reader)
    connection = await Connection.open(on.chat.port)
    undisturbed: list[float] = []
    after: dict[str, list[float]] = {"joined a channel": [], "changed a setting": []}
    for number in range(on.rounds(30)):
        await connection.send(_subscription("DELETE", other))
        # This one pays for the departure, which is not measured.
        await connection.send(register)
        undisturbed.append(await timed(connection, register))
        changes = _subscription("POST", other), _setting(other, is_on=number % 2 == 0)
        for times, change in zip(after.values(), changes, strict=True):
            await connection.send(change)
            times.append(await timed(connection, register))
    connection.close()
    before = statistics.median(undisturbed)
    on.report.add("register, 10,000 users, p50", before, "ms")
    for what, times in after.items():
        name = f"register right after another user {what} / undisturbed"
        on.report.add(name, statistics.median(times) / before, expected="<= 1.20")


def _register(account: Account) -> bytes:
    return build_request("POST", "/api/v1/register", account)


def _subscription(method: str, account: Account) -> bytes:
    """Joins a channel, or leaves it."""
    channels: object = [_CHANGED_CHANNEL]
    if method == "POST":
        channels = [{"name": _CHANGED_CHANNEL}]
    return build_request(
        method, "/api/v1/users/me/subscriptions", account, {"subscriptions": channels}
    )


def _setting(account: Account, *, is_on: bool) -> bytes:
    return build_request("PATCH", "/api/v1/settings", account, {"twenty_four_hour_time": is_on})
