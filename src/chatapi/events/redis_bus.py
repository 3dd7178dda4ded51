"""The bus between processes: one Redis stream that every process appends to and reads."""

import asyncio
import contextlib
import secrets
from typing import cast

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from chatapi.events.bus import Batch, Receiver

log = structlog.get_logger()

Message = tuple[bytes, dict[bytes, bytes]]

_STREAM = "chatapi:events"
_BATCH = b"batch"
_SENDER = b"sender"
_STREAM_LENGTH = 10_000
_READ_COUNT = 500
_BLOCK_MILLISECONDS = 2_000
_RETRY_SECONDS = 0.2
_WAITING_BATCHES = 10_000
_LAST_WORDS_SECONDS = 0.5


class RedisBus:
    """Appends and reads in two tasks; while Redis is away the hubs live off the log."""

    def __init__(self, url: str) -> None:
        self._sender = secrets.token_bytes(8)
        # The client's default time-out is shorter than ten blocked reads take, and its default
        # pauses between attempts are longer than the log takes to deliver instead.
        self._redis = Redis.from_url(
            url,
            protocol=2,
            socket_timeout=None,
            health_check_interval=0,
            retry=Retry(NoBackoff(), 1),
        )
        self._waiting: asyncio.Queue[Batch] = asyncio.Queue(_WAITING_BATCHES)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, receive: Receiver) -> None:
        self._tasks = [
            asyncio.create_task(self._append_all()),
            asyncio.create_task(self._read_all(receive)),
        ]

    def publish(self, batch: Batch) -> None:
        # A full queue means Redis is away: the log delivers instead.
        with contextlib.suppress(asyncio.QueueFull):
            self._waiting.put_nowait(batch)

    async def is_healthy(self) -> bool:
        try:
            async with asyncio.timeout(1):
                return bool(await self._redis.ping())
        except (RedisError, OSError, TimeoutError):
            return False

    async def close(self) -> None:
        # A command that ends right after its commit is heard at once all the same.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await self._waiting.join()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._redis.aclose()

    async def _append_all(self) -> None:
        while True:
            batch = await self._waiting.get()
            try:
                await self._redis.xadd(
                    _STREAM,
                    {_SENDER: self._sender, _BATCH: batch.encode()},
                    maxlen=_STREAM_LENGTH,
                    approximate=True,
                )
            except (RedisError, OSError) as error:
                log.warning("bus_append_failed", reason=str(error))
            finally:
                self._waiting.task_done()

    async def _read_all(self, receive: Receiver) -> None:
        position: bytes | None = None
        while True:
            try:
                position = position or await self._newest_position()
                answer = await self._redis.xread(
                    {_STREAM: position}, count=_READ_COUNT, block=_BLOCK_MILLISECONDS
                )
            except (RedisError, OSError) as error:
                log.warning("bus_read_failed", reason=str(error))
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            for position, fields in _messages(answer):  # noqa: B007 (the last one is kept)
                if fields[_SENDER] != self._sender:
                    _pass_on(fields[_BATCH], receive)

    async def _newest_position(self) -> bytes:
        """Where to begin; asking for `$` again and again would skip what comes in between."""
        newest = cast(list[Message], await self._redis.xrevrange(_STREAM, count=1))
        return newest[0][0] if newest else b"0-0"


def _messages(answer: object) -> list[Message]:
    """The client types what it reads for every protocol version at once; we fixed one."""
    streams = cast(list[tuple[bytes, list[Message]]] | None, answer)
    return [message for _stream, messages in streams or [] for message in messages]


def _pass_on(encoded: bytes, receive: Receiver) -> None:
    try:
        receive(Batch.decode(encoded))
    except Exception:
        # Perhaps it comes from a newer version of the service; one batch must not end the bus.
        log.exception("bus_batch_refused")
