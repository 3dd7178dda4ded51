"""What is measured: requests per second, delivery latency, memory per waiting client."""

import asyncio
import gc
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any, TypeVar

import orjson

from benchmarks.http_client import Account, Connection, build_request
from benchmarks.servers import RunningServer

T = TypeVar("T")

_CONNECTIONS = 16
_FEW_CONNECTIONS = 8
_WARM_UP_POLLERS = 50


async def requests_per_second(port: int, request: bytes, count: int) -> float:
    """How many of these requests are answered per second, over a few kept-alive connections."""
    return await spread_per_second([port], [request], count)


async def spread_per_second(ports: Sequence[int], requests: Sequence[bytes], count: int) -> float:
    """The same with several servers, and several requests that are sent alternately.

    If there are as many of both, each server gets one of the requests.
    """
    async with _open_connections(_repeated(ports, _CONNECTIONS)) as connections:
        # A few to begin with.
        await _seconds(connections, _repeated(requests, 5 * _CONNECTIONS))
        return count / await _seconds(connections, _repeated(requests, count))


def _repeated(values: Sequence[T], count: int) -> list[T]:
    """So many in all, one after the other and again from the first."""
    return list(islice(cycle(values), count))


@dataclass(frozen=True)
class Cost:
    """What requests took: processor time of the server, and time on the clock, in seconds."""

    processor: float
    clock: float


async def cost_of(server: RunningServer, requests: Sequence[bytes]) -> Cost:
    """Sends the requests over eight connections."""
    async with _open_connections([server.port] * _FEW_CONNECTIONS) as connections:
        before = server.processor_seconds()
        clock = await _seconds(connections, requests)
        return Cost(server.processor_seconds() - before, clock)


async def until_idle(server: RunningServer) -> None:
    """Wait for what a server does after its start, which would count for the first requests."""
    computed = -1.0
    while server.processor_seconds() > computed:
        computed = server.processor_seconds()
        await asyncio.sleep(0.5)


@dataclass(frozen=True)
class Throughput:
    """How fast a server answers a request, and how long it computes for each."""

    per_second: float
    processor_ms: float


async def throughput(server: RunningServer, request: bytes, count: int) -> Throughput:
    """The same request over eight connections."""
    # A few to begin with.
    await cost_of(server, [request] * _FEW_CONNECTIONS)
    cost = await cost_of(server, [request] * count)
    return Throughput(count / cost.clock, cost.processor * 1000 / count)


@asynccontextmanager
async def _open_connections(ports: Sequence[int]) -> AsyncIterator[list[Connection]]:
    connections = [await Connection.open(port) for port in ports]
    yield connections
    for connection in connections:
        connection.close()


async def _seconds(connections: Sequence[Connection], requests: Sequence[bytes]) -> float:
    """How long requests take that are spread over connections."""
    started = time.perf_counter()
    await asyncio.gather(
        *(
            _send_all(connection, requests[first :: len(connections)])
            for first, connection in enumerate(connections)
        )
    )
    return time.perf_counter() - started


async def _send_all(connection: Connection, requests: Sequence[bytes]) -> None:
    for request in requests:
        await connection.send(request)


@dataclass(frozen=True)
class Latency:
    """Milliseconds from sending a change to having its event."""

    p50: float
    p99: float
    processor_ms: float
    """How long the server computes for each client."""


async def milliseconds(port: int, requests: Sequence[bytes]) -> float:
    """The median time of an answer when nothing else is asked."""
    connection = await Connection.open(port)
    times = [await timed(connection, request) for request in requests]
    connection.close()
    return statistics.median(times)


async def timed(connection: Connection, request: bytes) -> float:
    """How many milliseconds an answer takes."""
    started = time.perf_counter()
    await connection.send(request)
    return (time.perf_counter() - started) * 1000


async def send_until(
    port: int,
    request: bytes,
    until: "asyncio.Future[Any]",
    *,
    connections: int = _CONNECTIONS,
    pause: float = 0,
    counts: Callable[[], bool] = lambda: True,
) -> list[float]:
    """How long each request that counts took, in milliseconds, until something else is done.

    Each connection waits for its answer, and then for the pause, before it asks again. A request
    that the service refuses for now is repeated, and takes until it succeeds.
    """
    times: list[float] = []

    async def send(connection: Connection) -> None:
        while not until.done():
            started = time.perf_counter()
            await connection.insist(request)
            if counts():
                times.append((time.perf_counter() - started) * 1000)
            await asyncio.sleep(pause)

    async with _open_connections([port] * connections) as opened:
        await asyncio.gather(until, *(send(connection) for connection in opened))
    return times


def p99(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


class Poller:
    """A client that waits on its queue and notes when each event arrives."""

    def __init__(self, connection: Connection, account: Account) -> None:
        self._connection = connection
        self._account = account
        self._queue: dict[str, object] = {}

    async def register(self) -> None:
        request = build_request(
            "POST",
            "/api/v1/register",
            self._account,
            {"event_types": ["message"], "fetch_event_types": []},
        )
        state = orjson.loads(await self._connection.send(request))
        self._queue = {"queue_id": state["queue_id"], "last_event_id": state["last_event_id"]}

    def poll(self, on_arrival: Callable[[], None] | None = None) -> None:
        """Ask for the next event, which `next_arrival` reads."""
        request = build_request("GET", "/api/v1/events", self._account, self._queue)
        self._connection.ask(request, on_arrival)

    async def next_arrival(self) -> float:
        """When the next event arrived; poll before."""
        while True:
            events = orjson.loads(await self._connection.answer())["events"]
            arrived = self._connection.received_at
            if any(event["type"] != "heartbeat" for event in events):
                self._queue["last_event_id"] = max(event["id"] for event in events)
                return arrived
            self.poll()

    async def poll_once(self) -> float:
        """Poll, and return when the next event arrived."""
        self.poll()
        return await self.next_arrival()

    def close(self) -> None:
        self._connection.close()


async def open_pollers(port: int, accounts: Sequence[Account], count: int) -> list[Poller]:
    """As many clients, each with a queue of its own, which an account may have several of."""

    async def open_one(number: int) -> Poller:
        poller = Poller(await Connection.open(port), accounts[number % len(accounts)])
        await poller.register()
        return poller

    pollers: list[Poller] = []
    # A few at once: the server closes connections on which nothing was asked for a while.
    for first in range(0, count, _CONNECTIONS):
        numbers = range(first, min(first + _CONNECTIONS, count))
        pollers += await asyncio.gather(*(open_one(number) for number in numbers))
    return pollers


async def delivery_latency(
    server: RunningServer,
    readers: Sequence[Account],
    message: bytes,
    *,
    pollers: int,
    rounds: int,
) -> Latency:
    """A message is sent ten times a second; it is delivered to all polls that wait in the channel.

    Responses are read when all have arrived: the users of a channel have a machine each, but here
    one process reads for all of them, and would be slower than the server.
    """
    waiting = await open_pollers(server.port, readers, pollers)
    sender = await Connection.open(server.port)
    # One to begin with, which finds statements that were never prepared.
    await sender.send(message)
    for poller in waiting:
        await poller.poll_once()
    latencies: list[float] = []
    processor = 0.0
    with _no_pauses():
        for _ in range(rounds):
            arrivals = Countdown(len(waiting))
            for poller in waiting:
                poller.poll(arrivals.count)
            # Until all of them wait; a poll that comes late finds the event.
            await asyncio.sleep(max(0.1, pollers / 1_000))
            computed = server.processor_seconds()
            sent = time.perf_counter()
            await sender.send(message)
            await arrivals.done.wait()
            processor += server.processor_seconds() - computed
            latencies += [(await poller.next_arrival() - sent) * 1000 for poller in waiting]
    for poller in waiting:
        poller.close()
    sender.close()
    return Latency(statistics.median(latencies), p99(latencies), processor * 1000 / len(latencies))


class Countdown:
    """Notes that something has happened as often as expected."""

    def __init__(self, expected: int) -> None:
        self.done = asyncio.Event()
        self._missing = expected

    def count(self) -> None:
        self._missing -= 1
        if self._missing == 0:
            self.done.set()


@contextmanager
def _no_pauses() -> Iterator[None]:
    """A client that stops to look for garbage would make the service look slow."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def kib_per_waiting_queue(
    server: RunningServer, accounts: Sequence[Account], message: bytes, count: int
) -> float:
    """Growth of the process while so many queues are polled and nothing happens.

    The last accounts warm the process up: they are not those who are measured, unless there are
    few.

    The message ends all polls: those of clients that only hung up would wait on, and be answered
    together with those who are measured next.
    """
    warm_up = await open_pollers(server.port, accounts[-_WARM_UP_POLLERS:], _WARM_UP_POLLERS)
    polls = [asyncio.create_task(poller.poll_once()) for poller in warm_up]
    await asyncio.sleep(0.5)
    before = server.resident_kib()
    waiting = await open_pollers(server.port, accounts, count)
    polls += [asyncio.create_task(poller.poll_once()) for poller in waiting]
    await asyncio.sleep(2)
    after = server.resident_kib()
    sender = await Connection.open(server.port)
    await sender.send(message)
    await asyncio.gather(*polls)
    sender.close()
    for poller in [*warm_up, *waiting]:
        poller.close()
    return (after - before) / count
