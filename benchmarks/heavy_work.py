"""What heavy work of some costs others who send: long texts to render, a long topic that moves."""

import asyncio
import statistics
import time
from dataclasses import dataclass

import orjson
import uvloop

from benchmarks.http_client import Account, Connection, build_request
from benchmarks.messages import newest_of_topic
from benchmarks.report import Report
from benchmarks.running import HELLO, Measured, hello, running
from benchmarks.workloads import p99, send_until, timed
from benchmarks.world import Size, World
from chatapi.wire.limits import MAX_MESSAGE_LENGTH

_SENDERS = 4
_PAUSE_SECONDS = 0.02
_MAX_MOVE_SECONDS = 600
_CHECK_SECONDS = 0.05

# Each takes 0.1 to 0.3 s to render when it is repeated up to the longest allowed text.
_SLOW_PATTERNS = (
    "- - - - a\n",
    "1. *a*\n",
    "* a\n  * b\n    * c\n",
    "> - *a*\n",
    "*a",
    "a@b.cd ",
    "```python\na=1\n```\n",
    "**a** *b* @**Bench 7** #**history** http://a.bc [x](http://y.zz) :tada: ~~z~~\n",
)


def measure_rendering(report: Report, scale: float) -> None:
    """Short messages of one client while eight others send the worst texts."""
    with running(report, scale, Size(people=1_000, channels=10, messages=1_000)) as on:
        uvloop.run(_report_rendering(on))


async def _report_rendering(on: Measured) -> None:
    channel_id = on.world.channels_by_size[1_000]
    message = hello(on.owner, channel_id)
    texts = [
        _slow_text(writer, channel_id, pattern)
        for writer, pattern in zip(on.world.readers, _SLOW_PATTERNS, strict=False)
    ]
    seconds = on.rounds(15)
    [before] = await _send_for(on, [message], seconds)
    meanwhile, *rendered = await _send_for(on, [message, *texts], seconds)
    on.report.add("send by one connection, p50", statistics.median(before), "ms")
    name = f"send while {len(texts)} clients send the worst texts to render, p50"
    on.report.add(name, statistics.median(meanwhile), "ms", expected="<= 50 ms")
    on.report.add("the longest of them", max(meanwhile), "ms")
    per_second = sum(map(len, rendered)) / seconds
    on.report.add("worst texts sent meanwhile", per_second, "per second")


async def _send_for(on: Measured, requests: list[bytes], seconds: float) -> list[list[float]]:
    """How long each kind of request takes, each sent again and again by one connection."""
    pause = asyncio.create_task(asyncio.sleep(seconds))
    return await asyncio.gather(
        *(send_until(on.chat.port, request, pause, connections=1) for request in requests)
    )


def _slow_text(writer: Account, channel_id: int, pattern: str) -> bytes:
    repeated = pattern * (MAX_MESSAGE_LENGTH // len(pattern))
    message = {**HELLO, "to": channel_id, "content": repeated}
    return build_request("POST", "/api/v1/messages", writer, message)


def measure_moving(report: Report, scale: float) -> None:
    """Short messages while a long topic moves to another channel."""
    count = max(1_000, int(100_000 * min(scale, 1)))
    # A new organization has one message already.
    size = Size(people=1_000, channels=10, messages=count + 1, in_busy_topic=1)
    with running(report, scale, size) as on:
        uvloop.run(_report_moving(on, count))


async def _report_moving(on: Measured, count: int) -> None:
    message = hello(on.owner, on.world.channels_by_size[10])
    [before] = await _send_for(on, [message], on.rounds(5))
    on.report.add("send by one connection, p50", statistics.median(before), "ms")
    move = asyncio.create_task(_move(on.chat.port, on.owner, on.world))
    times = await send_until(
        on.chat.port, message, move, connections=_SENDERS, pause=_PAUSE_SECONDS
    )
    name = f"send while {count:,} messages move to another channel"
    on.report.add(f"{name}, p50", statistics.median(times), "ms", expected="<= 100 ms")
    on.report.add("the same, p99", p99(times), "ms", expected="<= 100 ms")
    on.report.add("the longest of them", max(times), "ms", expected="<= 100 ms")
    moved = await move
    on.report.add(
        "the request that begins to move them", moved.request_ms, "ms", expected="<= 100 ms"
    )
    on.report.add("until all of these messages have moved", moved.seconds, "s")


@dataclass(frozen=True)
class _Moved:
    """How long a move took."""

    request_ms: float
    seconds: float
    """Until the old topic was empty; the answer may come before that."""


async def _move(port: int, owner: Account, world: World) -> _Moved:
    """Move the busiest topic to another channel."""
    wanted = {
        "stream_id": world.channels_by_size[1_000],
        "propagate_mode": "change_all",
        "send_notification_to_old_thread": False,
        "send_notification_to_new_thread": False,
    }
    connection = await Connection.open(port)
    started = time.perf_counter()
    async with asyncio.timeout(_MAX_MOVE_SECONDS):
        path = f"/api/v1/messages/{world.busy_message}"
        request_ms = await timed(connection, build_request("PATCH", path, owner, wanted))
        rest = newest_of_topic(world, owner)
        while True:
            if not orjson.loads(await connection.send(rest))["messages"]:
                break
            await asyncio.sleep(_CHECK_SECONDS)
    seconds = time.perf_counter() - started
    connection.close()
    return _Moved(request_ms, seconds)
