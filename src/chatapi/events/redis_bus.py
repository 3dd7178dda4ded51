"""The bus between processes: one Redis stream that every process of a deployment appends to."""

import asyncio
import contextlib
import secrets
from typing import cast

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from chatapi.core.cancellation import cancel_until_done
from chatapi.core.clock import stopwatch
from chatapi.core.deployment import FindDeployment
from chatapi.core.ids import RealmId
from chatapi.events.bus import Batch, FollowsRealm, Receiver
from chatapi.events.peers import Peers
from chatapi.events.redis_peers import RedisPeers

log = structlog.get_logger()

Message = tuple[bytes, dict[bytes, bytes]]

_BATCH = b"batch"
_SENDER = b"sender"
_REALM = b"realm"
_STREAM_LENGTH = 10_000
_STREAM_SECONDS = 24 * 60 * 60
"""The stream of a deployment that no longer runs expires after this time."""
_EXPIRY_RENEWAL_SECONDS = 60.0
_READ_COUNT = 500
_BLOCK_MILLISECONDS = 2_000
_SILENCE_SECONDS = 4.0
_CONNECT_SECONDS = 2.0
_FIRST_RETRY_SECONDS = 0.2
_MAX_RETRY_SECONDS = 2.0
_WAITING_BATCHES = 10_000
_LAST_WORDS_SECONDS = 0.5


class RedisBus:
    """Appends and reads in two tasks; while Redis is unavailable the hubs read the log."""

    def __init__(self, url: str) -> None:
        self.peers: Peers = RedisPeers(url)
        self._sender = secrets.token_bytes(8)
        # A read blocks for two seconds; a server that is silent for longer is considered dead. The
        # client's default backoff is longer than delivery through the log takes.
        self._redis = Redis.from_url(
            url,
            protocol=2,
            socket_timeout=_SILENCE_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            health_check_interval=0,
            retry=Retry(NoBackoff(), 1),
        )
        self._waiting: asyncio.Queue[Batch] = asyncio.Queue(_WAITING_BATCHES)
        self._tasks: list[asyncio.Task[None]] = []
        self._expiry_due = 0.0
        """When the expiry of the stream is to be renewed, on the clock of `stopwatch`."""
        self._retry_seconds = _FIRST_RETRY_SECONDS
        self._is_lost = False
        self._is_closing = False

    async def start(
        self, receive: Receiver, find_deployment: FindDeployment, follows: FollowsRealm
    ) -> None:
        self._tasks.append(asyncio.create_task(self._run(receive, find_deployment, follows)))

    def publish(self, batch: Batch) -> None:
        # A full queue means Redis is unavailable: events are delivered through the log instead.
        with contextlib.suppress(asyncio.QueueFull):
            self._waiting.put_nowait(batch)

    async def is_healthy(self) -> bool:
        try:
            async with asyncio.timeout(1):
                return bool(await self._redis.ping())
        except (RedisError, OSError, TimeoutError):
            return False

    async def close(self) -> None:
        # The events of a command that ends right after its commit are still delivered at once.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await self._waiting.join()
        self._is_closing = True
        await cancel_until_done(self._tasks)
        await self._redis.aclose()

    async def _run(
        self, receive: Receiver, find_deployment: FindDeployment, follows: FollowsRealm
    ) -> None:
        stream = stream_name(await self._find(find_deployment))
        self._tasks.append(asyncio.create_task(self._append_all(stream)))
        await self._read_all(stream, receive, follows)

    async def _find(self, find_deployment: FindDeployment) -> str:
        """Retry until the database responds: a process may start before its database."""
        while True:
            try:
                return await find_deployment()
            except Exception as error:  # noqa: BLE001 (the bus retries after any error)
                await self._pause(error)

    async def _append_all(self, stream: str) -> None:
        while True:
            batch = await self._waiting.get()
            try:
                await self._append(stream, batch)
            except (RedisError, OSError) as error:
                self._note_loss(error)
                # The server may come back without the stream.
                self._expiry_due = 0.0
            finally:
                self._waiting.task_done()

    async def _append(self, stream: str, batch: Batch) -> None:
        await self._redis.xadd(
            stream,
            {_SENDER: self._sender, _REALM: batch.realm_id, _BATCH: batch.encode()},
            maxlen=_STREAM_LENGTH,
            approximate=True,
        )
        now = stopwatch()
        if now >= self._expiry_due:
            await self._redis.expire(stream, _STREAM_SECONDS)
            self._expiry_due = now + _EXPIRY_RENEWAL_SECONDS

    async def _read_all(self, stream: str, receive: Receiver, follows: FollowsRealm) -> None:
        position: bytes | None = None
        while True:
            try:
                position = position or await self._newest_position(stream)
                answer = await self._redis.xread(
                    {stream: position}, count=_READ_COUNT, block=_BLOCK_MILLISECONDS
                )
            except (RedisError, OSError) as error:
                await self._pause(error)
                continue
            self._note_return()
            for position, fields in _messages(answer):  # noqa: B007 (the last one is kept)
                if fields[_SENDER] != self._sender and _is_followed(fields, follows):
                    _pass_on(fields[_BATCH], receive)

    async def _newest_position(self, stream: str) -> bytes:
        """Return where to begin; asking for `$` repeatedly would skip what arrives in between."""
        newest = cast(list[Message], await self._redis.xrevrange(stream, count=1))
        return newest[0][0] if newest else b"0-0"

    async def _pause(self, error: Exception) -> None:
        """Wait before the next attempt, longer each time."""
        self._note_loss(error)
        await asyncio.sleep(self._retry_seconds)
        self._retry_seconds = min(self._retry_seconds * 2, _MAX_RETRY_SECONDS)

    def _note_loss(self, error: Exception) -> None:
        """Log a loss once, however many attempts fail."""
        if not self._is_lost and not self._is_closing:
            self._is_lost = True
            log.warning("bus_lost", reason=str(error))

    def _note_return(self) -> None:
        self._retry_seconds = _FIRST_RETRY_SECONDS
        if self._is_lost:
            self._is_lost = False
            log.info("bus_back")


def stream_name(deployment: str) -> str:
    """Return a name per deployment: deployments may share a Redis database, but no events."""
    return f"chatapi:{deployment}:events"


def _messages(answer: object) -> list[Message]:
    """Cast the response: the client's types cover every protocol version, we use one."""
    streams = cast(list[tuple[bytes, list[Message]]] | None, answer)
    return [message for _stream, messages in streams or [] for message in messages]


def _is_followed(fields: dict[bytes, bytes], follows: FollowsRealm) -> bool:
    realm_id = fields.get(_REALM)
    # Earlier versions of the service do not say which realm it is.
    return realm_id is None or follows(RealmId(int(realm_id)))


def _pass_on(encoded: bytes, receive: Receiver) -> None:
    try:
        receive(Batch.decode(encoded))
    except Exception:
        # It may come from a newer version of the service; one batch must not end the bus.
        log.exception("bus_batch_refused")
