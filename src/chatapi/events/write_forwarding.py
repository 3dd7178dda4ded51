"""Writes of one realm meet in one process, its leader: the other processes forward them."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import orjson
import structlog

from chatapi.core.clock import stopwatch
from chatapi.core.deployment import FindDeployment
from chatapi.core.ids import RealmId
from chatapi.events.peers import Peers, ProcessId
from chatapi.events.realm_leaders import RealmLeaders

log = structlog.get_logger()

_MAX_AT_ONCE = 100
_TURNS = 2
"""Iterations of the event loop: enough for requests that were already read to join a parcel."""
_PING_SECONDS = 0.25
_MAX_SILENCE_SECONDS = 0.75
"""A leader from which nothing arrives for so long, not even the response to a ping, is lost."""
_MAX_RESPONSE_SECONDS = 10.0

JsonObject = dict[str, Any]
"""What is forwarded, and what is returned for it."""

WriteForwarded = Callable[[RealmId, Sequence[JsonObject]], Awaitable[Sequence[JsonObject]]]
"""Writes the items that another process forwarded; returns a result for each."""


@dataclass(eq=False, slots=True)
class _Parcel:
    """Items that are forwarded together."""

    leader: ProcessId
    realm_id: RealmId
    write: str
    items: list[JsonObject] = field(default_factory=list)
    results: asyncio.Future[list[JsonObject] | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class WriteForwarder:
    """Sends what is to be written in a realm to the realm's leader, if that is another process.

    The lock of a realm protects its order as before, so two leaders at once do no harm. Everything
    that is forwarded must have an idempotency key: where no response arrives, the caller writes it
    itself, and the leader may have done so before, or may do so later.
    """

    def __init__(self, peers: Peers) -> None:
        self._peers = peers
        self._tasks: set[asyncio.Task[object]] = set()
        self._leaders = RealmLeaders(peers, self._spawn)
        self._writers: dict[str, WriteForwarded] = {}
        self._open: dict[tuple[RealmId, str], _Parcel] = {}
        """The parcels to which more items can be added."""
        self._numbers = count(1)
        self._responses: dict[int, asyncio.Future[list[JsonObject] | None]] = {}
        self._heard_at: dict[ProcessId, float] = {}
        """When something last arrived from each leader, on the clock of `stopwatch`."""

    def accept(self, write: str, write_forwarded: WriteForwarded) -> None:
        """Accept writes of a kind from other processes."""
        self._writers[write] = write_forwarded

    async def start(self, find_deployment: FindDeployment) -> None:
        await self._peers.start(self._receive, find_deployment)

    async def close(self) -> None:
        """Accept nothing more, respond to what was forwarded to this process, and disconnect."""
        await self._peers.stop_receiving()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._peers.close()

    def note_competition(self, realm_id: RealmId) -> None:
        """Another process writes in the realm as well: from now on one of them is to lead."""
        self._leaders.elect(realm_id)

    def has_other_leader(self, realm_id: RealmId) -> bool:
        """Whether what is to be written in the realm should be forwarded."""
        return self._leaders.find(realm_id) is not None

    def is_leader(self, realm_id: RealmId) -> bool:
        """Whether other processes have forwarded to this one lately."""
        return self._leaders.is_followed(realm_id)

    async def forward(self, realm_id: RealmId, write: str, item: JsonObject) -> JsonObject | None:
        """Return the leader's result; None if it is not known what became of the item."""
        leader = self._leaders.find(realm_id)
        if leader is None:
            return None
        parcel = self._open.get((realm_id, write))
        if parcel is None or parcel.leader != leader or len(parcel.items) == _MAX_AT_ONCE:
            parcel = self._open[realm_id, write] = _Parcel(leader, realm_id, write)
            self._spawn(self._send(parcel))
        place = len(parcel.items)
        parcel.items.append(item)
        results = await asyncio.shield(parcel.results)
        return None if results is None else results[place]

    async def _send(self, parcel: _Parcel) -> None:
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        if self._open.get((parcel.realm_id, parcel.write)) is parcel:
            del self._open[parcel.realm_id, parcel.write]
        results: list[JsonObject] | None = None
        try:
            results = await self._request(parcel)
        finally:
            if results is None or len(results) != len(parcel.items):
                self._leaders.suspend(parcel.realm_id)
                results = None
            parcel.results.set_result(results)

    async def _request(self, parcel: _Parcel) -> list[JsonObject] | None:
        number = next(self._numbers)
        request = {
            "from": self._peers.process_id,
            "number": number,
            "realm": parcel.realm_id,
            "write": parcel.write,
            "items": parcel.items,
        }
        response: asyncio.Future[list[JsonObject] | None] = (
            asyncio.get_running_loop().create_future()
        )
        self._responses[number] = response
        try:
            if not await self._peers.send(parcel.leader, orjson.dumps(request)):
                return None
            return await self._wait(parcel.leader, response)
        finally:
            del self._responses[number]

    async def _wait(
        self, leader: ProcessId, response: asyncio.Future[list[JsonObject] | None]
    ) -> list[JsonObject] | None:
        """Wait for as long as the leader is there; a busy one responds at least to pings."""
        began = self._heard_at[leader] = stopwatch()
        ping = orjson.dumps({"from": self._peers.process_id, "ping": True})
        while True:
            done, _ = await asyncio.wait({response}, timeout=_PING_SECONDS)
            if done:
                return response.result()
            now = stopwatch()
            if now - began > _MAX_RESPONSE_SECONDS:
                return None
            if now - self._heard_at[leader] > _MAX_SILENCE_SECONDS:
                return None
            if not await self._peers.send(leader, ping):
                return None

    def _receive(self, data: bytes) -> None:
        try:
            content = orjson.loads(data)
            sender = ProcessId(content["from"])
            if sender in self._heard_at:
                self._heard_at[sender] = stopwatch()
            if "items" in content:
                self._spawn(self._write(sender, content))
            elif "results" in content:
                self._take_results(content)
            elif "ping" in content:
                pong = orjson.dumps({"from": self._peers.process_id})
                self._spawn(self._peers.send(sender, pong))
        except Exception:
            # It may come from another version of the service.
            log.exception("message_of_peer_refused")

    def _take_results(self, content: JsonObject) -> None:
        response = self._responses.get(content["number"])
        if response is not None and not response.done():
            response.set_result(content["results"])

    async def _write(self, sender: ProcessId, request: JsonObject) -> None:
        realm_id = RealmId(request["realm"])
        self._leaders.renew(realm_id)
        results: Sequence[JsonObject] | None = None
        try:
            results = await self._writers[request["write"]](realm_id, request["items"])
        except Exception:
            # The sender writes it itself, and finds out whether this is a real error.
            log.exception("forwarded_write_failed", realm_id=realm_id)
        response = {
            "from": self._peers.process_id,
            "number": request["number"],
            "results": results,
        }
        await self._peers.send(sender, orjson.dumps(response))

    def _spawn(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
