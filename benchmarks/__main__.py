"""`python3 dev.py bench`: both databases, side by side with the yardstick; prints ratios."""

import argparse
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import uvloop
from rich.console import Console

from benchmarks.bodies import bodies, json_against_form
from benchmarks.compare import MEASUREMENTS, compare
from benchmarks.delivery import measure_delivery, measure_memory
from benchmarks.growth import measure_growth
from benchmarks.heavy_work import measure_moving, measure_rendering
from benchmarks.http_client import Connection, build_request
from benchmarks.messages import narrows, newest_of_topic, reactions, renamings, searches
from benchmarks.metrics import share_of_metrics
from benchmarks.pictures import pictures, thumbnail_milliseconds
from benchmarks.processes import measure_processes
from benchmarks.registering import (
    measure_registering,
    measure_registering_after_changes,
    measure_registering_at_once,
)
from benchmarks.report import Report
from benchmarks.retention import retention_cost
from benchmarks.running import HELLO, Measured, hello, running
from benchmarks.side_by_side import compare_part
from benchmarks.starting import measure_starting
from benchmarks.variants import Variant
from benchmarks.workloads import milliseconds, requests_per_second, throughput
from benchmarks.world import Size
from chatapi.core.settings import Settings

_PREFIX = "CHATAPI_"
_ROUNDS = 9


async def measure_light_requests(on: Measured) -> None:
    own_user = build_request("GET", "/api/v1/users/me", on.owner)
    rounds = await _speeds(on, [own_user], build_request("GET", "/bare"), 3_000)
    ratio = statistics.median(speed / bare for bare, speed in rounds)
    on.report.add("GET /users/me / the bare GET", ratio, expected=">= 0.50")


async def measure_sending(on: Measured) -> None:
    """Sixteen connections at once, then one alone."""
    bare = build_request("POST", "/send", None, {**HELLO, "to": "general"})
    channels = sorted(on.world.channels_by_size.items())
    sends = [hello(on.owner, channel_id) for _, channel_id in channels]
    rounds = await _speeds(on, sends, bare, 2_000)
    sizes = [size for size, _ in channels]
    expected = ">= 0.80" if on.report.database != "sqlite" else ""
    for place, size in enumerate(sizes, start=1):
        ratio = statistics.median(speeds[place] / speeds[0] for speeds in rounds)
        on.report.add(f"send to {size:,} subscribers / the bare INSERT", ratio, expected=expected)
    comparison = statistics.median(speeds[-1] / speeds[1] for speeds in rounds)
    name = f"send to {sizes[-1]:,} / send to {sizes[0]:,} subscribers"
    on.report.add(name, comparison, expected=">= 0.90")
    alone = [sends[-1]] * on.rounds(200)
    on.report.add(
        "one send alone, p50", await milliseconds(on.chat.port, alone), "ms", expected="< 5 ms"
    )


async def measure_reading(on: Measured) -> None:
    newest = newest_of_topic(on.world, on.owner)
    took = await milliseconds(on.chat.port, [newest] * on.rounds(100))
    on.report.add("newest 100 of a topic in 100,000 messages, p50", took, "ms", expected="< 10 ms")
    await _report_throughput(on, "newest 100 of a topic, 8 connections", newest, 1_600, ">= 1000")
    mark = {"stream_id": on.world.history_channel, "topic_name": on.world.busy_topic}
    marks = [
        build_request("POST", "/api/v1/mark_topic_as_read", reader, mark)
        for reader in on.world.readers[:20]
    ]
    for reader in on.world.readers[:20]:
        await milliseconds(on.chat.port, [build_request("GET", "/api/v1/users/me", reader)])
    took = await milliseconds(on.chat.port, marks)
    on.report.add("mark a topic of 20,000 unread as read, p50", took, "ms", expected="< 10 ms")


async def measure_people(on: Measured) -> None:
    """The list of all users, read by one who has it already and by one who has not."""
    await _report_throughput(
        on, "the bare GET, 8 connections", build_request("GET", "/bare"), 2_000
    )
    reader = on.world.readers[0]
    users = build_request("GET", "/api/v1/users", reader)
    await _report_throughput(on, "GET /users of 5,000 people", users, 400, ">= 150")
    connection = await Connection.open(on.chat.port)
    await connection.send(users)
    connection.close()
    again = build_request("GET", "/api/v1/users", reader, etag=connection.etag)
    await _report_throughput(on, "the same, unchanged (304)", again, 400)


async def _report_throughput(
    on: Measured, name: str, request: bytes, count: int, expected: str = ""
) -> None:
    server = on.bare if request.startswith(b"GET /bare") else on.chat
    found = await throughput(server, request, on.rounds(count))
    on.report.add(f"{name}: requests per second", found.per_second, expected=expected)
    on.report.add(f"{name}: processor time of each", found.processor_ms, "ms")


async def measure_metrics(on: Measured) -> None:
    send = hello(on.owner, on.world.channels_by_size[10])
    share = await share_of_metrics(on.chat, send, on.rounds(1_000))
    on.report.add("metrics / a send, processor time", share, expected="< 0.01")


async def measure_finding(on: Measured) -> None:
    """In 200,000 messages."""
    await _yardstick(on)
    count = on.rounds(50)
    for what, requests in searches(on.world.readers[0], count).items():
        took = await milliseconds(on.chat.port, requests)
        on.report.add(f"search for {what} in 200,000 messages, p50", took, "ms", expected="< 30 ms")
    for what, requests in narrows(on.world, count).items():
        took = await milliseconds(on.chat.port, requests)
        on.report.add(f"{what}, p50", took, "ms")


async def measure_changing(on: Measured) -> None:
    took = await milliseconds(on.chat.port, reactions(on.world, on.rounds(100)))
    on.report.add("add a reaction, p50", took, "ms")
    took = await milliseconds(on.chat.port, renamings(on.world, on.owner, on.rounds(20)))
    on.report.add("rename a topic of 100,000 messages, p50", took, "ms", expected="< 100 ms")


async def _yardstick(on: Measured) -> None:
    bare = build_request("POST", "/send", None, {**HELLO, "to": "general"})
    took = await milliseconds(on.bare.port, [bare] * on.rounds(100))
    on.report.add("the bare INSERT alone, p50", took, "ms")


async def measure_retention(on: Measured, expired: int) -> None:
    message = hello(on.owner, on.world.channels_by_size[1_000])
    cost = await retention_cost(
        on.chat.port, on.owner, message, expired=expired, seconds=on.rounds(15)
    )
    on.report.add("send by 16 connections, p99", cost.p99_before, "ms")
    name = f"send while {expired:,} old messages are deleted, p99"
    on.report.add(name, cost.p99_meanwhile, "ms")
    on.report.add("the latter / the former", cost.factor, expected="<= 2.00")
    on.report.add("old messages deleted meanwhile", cost.deleted_per_second, "per second")


async def measure_thumbnails(on: Measured) -> None:
    for what, content in pictures().items():
        upload, thumbnail = await thumbnail_milliseconds(
            on.chat.port, on.owner, content, on.rounds(20)
        )
        on.report.add(f"upload of {what}, p50", upload, "ms")
        on.report.add("until its thumbnail can be opened, p50", thumbnail, "ms")
    on.report.add("resident memory after that", on.chat.resident_kib() / 1024, "MiB")


async def measure_bodies(on: Measured) -> None:
    for body in bodies(on.world):
        ratio, microseconds = await json_against_form(
            on.chat, on.owner, body, max(100, int(body.count * on.scale))
        )
        name = f"{body.name} by a JSON body / by a form, processor time"
        on.report.add(name, ratio, expected="<= 1.10")
        on.report.add(f"{body.name} by a form, processor time", microseconds, "us")


async def _speeds(
    on: Measured, requests: Sequence[bytes], yardstick: bytes, count: int
) -> list[list[float]]:
    """How fast the yardstick and the requests are answered, round by round.

    What is compared is measured in the same seconds, forwards and backwards: a machine is not
    always equally fast, and who comes first finds it in another state than who comes last.
    """
    count = max(100, int(count * on.scale))
    asked = [(on.bare.port, yardstick), *((on.chat.port, request) for request in requests)]
    rounds: list[list[float]] = []
    for number in range(_ROUNDS):
        step = -1 if number % 2 else 1
        speeds = [await requests_per_second(*each, count) for each in asked[::step]]
        rounds.append(speeds[::step])
    return rounds


def measure_service(report: Report, scale: float) -> None:
    with running(report, scale, Size(people=10_000, channels=10, messages=100_000)) as on:
        for part in (measure_light_requests, measure_sending, measure_reading):
            uvloop.run(part(on))


def measure_users(report: Report, scale: float) -> None:
    with running(report, scale, Size(people=5_000, channels=10, messages=1_000)) as on:
        uvloop.run(measure_people(on))


def measure_observing(report: Report, scale: float) -> None:
    with running(report, scale, Size(people=1_000, channels=10, messages=1_000)) as on:
        uvloop.run(measure_metrics(on))


def measure_json(report: Report, scale: float) -> None:
    with running(report, scale, Size(people=1_000, channels=10, messages=1_000)) as on:
        uvloop.run(measure_bodies(on))


def measure_messages(report: Report, scale: float) -> None:
    size = Size(people=1_000, channels=10, messages=200_000, in_busy_topic=2)
    with running(report, scale, size) as on:
        uvloop.run(measure_finding(on))
        uvloop.run(measure_changing(on))


def measure_expiry(report: Report, scale: float) -> None:
    expired = max(1_000, int(100_000 * min(scale, 1)))
    # A new organization has one message already, which is too new to expire.
    with running(report, scale, Size(people=1_000, channels=10, messages=expired + 1)) as on:
        uvloop.run(measure_retention(on, expired))


def measure_pictures(report: Report, scale: float) -> None:
    with running(report, scale, Size(people=1_000, channels=10, messages=1_000)) as on:
        uvloop.run(measure_thumbnails(on))


PARTS = {
    "start": measure_starting,
    "service": measure_service,
    "delivery": measure_delivery,
    "memory": measure_memory,
    "register": measure_registering,
    "register-at-once": measure_registering_at_once,
    "register-after-changes": measure_registering_after_changes,
    "users": measure_users,
    "metrics": measure_observing,
    "bodies": measure_json,
    "messages": measure_messages,
    "rendering": measure_rendering,
    "moving": measure_moving,
    "processes": measure_processes,
    "retention": measure_expiry,
    "pictures": measure_pictures,
    "growth": measure_growth,
}


def main() -> None:
    options = _parser().parse_args()
    console = Console()
    figures = {}
    for kind in [options.database] if options.database else ["sqlite", "postgresql"]:
        if options.against is not None or options.setting:
            _compare(console, kind, options)
            continue
        report = _measure(kind, options)
        figures[kind] = [asdict(row) for row in report.rows]
        if not options.json:
            report.show(console)
    if options.json and figures:
        print(json.dumps(figures))


def _measure(database: str, options: argparse.Namespace) -> Report:
    report = Report(database)
    for name, part in PARTS.items():
        if options.only in {None, name}:
            part(report, options.scale)
    return report


def _compare(console: Console, database: str, options: argparse.Namespace) -> None:
    before = Variant(options.against.resolve()) if options.against else Variant()
    now = Variant(settings=dict(options.setting))
    if options.only:
        compare_part(console, database, before, now, part=options.only, scale=options.scale)
        return
    report = Report(database)
    compare(report, before, now, options.scale, options.row)
    report.show(console)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help="only this one")
    parser.add_argument("--scale", type=float, default=1.0, help="how long to measure")
    parser.add_argument("--only", choices=list(PARTS), help="only this part")
    parser.add_argument(
        "--against",
        type=Path,
        help="compare with another checkout instead: request by request, or the part of --only",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON, by database"
    )
    parser.add_argument(
        "--setting",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="compare this setting with its default instead, in the same way",
    )
    parser.add_argument("--row", choices=list(MEASUREMENTS), help="compare only these requests")
    return parser


def _setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"Write {text} as NAME=VALUE.")
    if name not in {f"{_PREFIX}{field.upper()}" for field in Settings.model_fields}:
        raise argparse.ArgumentTypeError(f"{name} is not a setting of the service.")
    return name, value


if __name__ == "__main__":
    main()
