"""What deleting old messages costs those who send meanwhile."""

import asyncio
import time
from dataclasses import dataclass

import orjson

from benchmarks.http_client import Account, Connection, build_request
from benchmarks.workloads import p99, send_until

_MAX_SECONDS = 300
"""Jobs run once a minute: until the first one deletes, and for as long as it takes."""
_SILENCE_SECONDS = 1.0


@dataclass(frozen=True)
class RetentionCost:
    """Milliseconds that sending takes, and how fast messages go."""

    p99_before: float
    p99_meanwhile: float
    deleted_per_second: float

    @property
    def factor(self) -> float:
        return self.p99_meanwhile / self.p99_before


async def retention_cost(
    port: int, owner: Account, message: bytes, *, expired: int, seconds: float
) -> RetentionCost:
    """Sixteen connections send, first undisturbed, then until all expired messages are gone.

    Nothing but the organization's setting tells the service that they are.
    """
    pause = asyncio.create_task(asyncio.sleep(seconds))
    before = await send_until(port, message, pause)
    watcher = _Watcher(await Connection.open(port), owner)
    await watcher.register()
    connection = await Connection.open(port)
    await connection.send(
        build_request("PATCH", "/api/v1/realm", owner, {"message_retention_days": 1})
    )
    async with asyncio.timeout(_MAX_SECONDS):
        gone = await watcher.count_next()
        started = time.perf_counter()
        rest = asyncio.create_task(watcher.wait_for(expired - gone))
        meanwhile = await send_until(port, message, rest, counts=watcher.hears)
    took = time.perf_counter() - started
    for each in (connection, watcher.connection):
        each.close()
    return RetentionCost(p99(before), p99(meanwhile), (expired - gone) / took)


class _Watcher:
    """A client that is told what was deleted."""

    def __init__(self, connection: Connection, account: Account) -> None:
        self.connection = connection
        self._account = account
        self._queue: dict[str, object] = {}
        self._heard_at = 0.0

    def hears(self) -> bool:
        """Whether messages are being deleted; what one run leaves waits for the next."""
        return time.perf_counter() - self._heard_at < _SILENCE_SECONDS

    async def register(self) -> None:
        wanted: dict[str, object] = {
            "event_types": ["delete_message"],
            "fetch_event_types": [],
            "client_capabilities": {"bulk_message_deletion": True},
        }
        request = build_request("POST", "/api/v1/register", self._account, wanted)
        state = orjson.loads(await self.connection.send(request))
        self._queue = {"queue_id": state["queue_id"], "last_event_id": state["last_event_id"]}

    async def count_next(self) -> int:
        """How many messages the next events tell of."""
        while True:
            request = build_request("GET", "/api/v1/events", self._account, self._queue)
            events = orjson.loads(await self.connection.send(request))["events"]
            self._queue["last_event_id"] = max(event["id"] for event in events)
            if count := sum(len(event.get("message_ids", ())) for event in events):
                self._heard_at = time.perf_counter()
                return count

    async def wait_for(self, count: int) -> None:
        while count > 0:
            count -= await self.count_next()
