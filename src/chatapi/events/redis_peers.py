"""Direct messages between processes, and leases on realms, in Redis."""

import asyncio
import secrets
from collections.abc import Awaitable
from os import getpid
from socket import gethostname
from typing import cast

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from chatapi.core.cancellation import cancel_until_done
from chatapi.core.deployment import FindDeployment
from chatapi.core.ids import RealmId
from chatapi.events.peers import ProcessId, ReceiveFromPeer

log = structlog.get_logger()

_FORMAT = 1
"""Processes with another format of messages do not reach each other."""
_SECONDS_PER_COMMAND = 1.0
_RETRY_SECONDS = 0.5
_MAX_QUIET_SECONDS = 5.0
"""After so long without a message, ask whether the connection is still there."""

_CLAIM = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return holder end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
"""


class RedisPeers:
    """A channel per process, to which others publish; a key per lease, which expires."""

    def __init__(self, url: str) -> None:
        self.process_id = ProcessId(f"{gethostname()}:{getpid()}:{secrets.token_hex(4)}")
        self._redis = _client(url, seconds=_SECONDS_PER_COMMAND)
        # It waits for messages; how long is decided there.
        self._listening = _client(url, seconds=None)
        self._prefix = ""
        self._subscription: PubSub | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self, receive: ReceiveFromPeer, find_deployment: FindDeployment) -> None:
        self._task = asyncio.create_task(self._listen(receive, find_deployment))

    async def send(self, process_id: ProcessId, data: bytes) -> bool:
        if not self._prefix:
            return False
        try:
            return int(await self._redis.publish(self._channel(process_id), data)) > 0
        except (RedisError, OSError):
            # It may have arrived all the same; messages are sent so that this does no harm.
            return False

    async def claim(self, realm_id: RealmId, seconds: float) -> ProcessId | None:
        if self._subscription is None:
            # A process that holds a lease has to be reached.
            return None
        key = f"{self._prefix}leader:{realm_id}"
        milliseconds = str(int(seconds * 1000))
        try:
            answer = self._redis.eval(_CLAIM, 1, key, self.process_id, milliseconds)
            holder = await cast(Awaitable[bytes], answer)
        except (RedisError, OSError):
            return None
        return ProcessId(holder.decode())

    async def stop_receiving(self) -> None:
        if self._task is not None:
            await cancel_until_done([self._task])

    async def close(self) -> None:
        await self.stop_receiving()
        await self._redis.aclose()
        await self._listening.aclose()

    async def _listen(self, receive: ReceiveFromPeer, find_deployment: FindDeployment) -> None:
        while True:
            try:
                self._prefix = f"chatapi:{await find_deployment()}:peers:{_FORMAT}:"
                async with self._listening.pubsub() as subscription:
                    await subscription.subscribe(self._channel(self.process_id))
                    self._subscription = subscription
                    await _pass_on_all(subscription, receive)
            except Exception as error:  # noqa: BLE001 (it is tried again after any error)
                log.debug("peers_lost", reason=str(error))
                await asyncio.sleep(_RETRY_SECONDS)
            finally:
                self._subscription = None

    def _channel(self, process_id: ProcessId) -> str:
        return f"{self._prefix}process:{process_id}"


async def _pass_on_all(subscription: PubSub, receive: ReceiveFromPeer) -> None:
    """Pass on messages until the connection is lost, or silent although it was asked."""
    is_asked = False
    while True:
        message = await subscription.get_message(timeout=_MAX_QUIET_SECONDS)
        if message is not None:
            is_asked = False
            if message["type"] == "message":
                receive(message["data"])
        elif is_asked:
            raise TimeoutError("the connection is silent")
        else:
            is_asked = True
            await subscription.ping()


def _client(url: str, *, seconds: float | None) -> Redis:
    return Redis.from_url(
        url,
        protocol=2,
        socket_timeout=seconds,
        socket_connect_timeout=_SECONDS_PER_COMMAND,
        health_check_interval=0,
        retry=Retry(NoBackoff(), 0),
    )
