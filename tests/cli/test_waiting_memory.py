"""The memory that a client costs while its poll waits, which is most of the time."""

import asyncio
from base64 import b64encode
from typing import Any

import httpx
import pytest

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.cli.polling import register, until_poll_has_arrived
from tests.support.command import Command
from tests.support.process_memory import resident_bytes

pytestmark = pytest.mark.slow

Writer = asyncio.StreamWriter

WARM_UP = 50
POLLS = 800
MOST_BYTES_PER_POLL = 14_100
"""12.7 KiB on the measured machine; what a poll does not need while it waits took 1 KiB more."""


async def test_waiting_poll_takes_little_memory(command: Command, prepared: Prepared) -> None:
    many = command.with_settings(rate_limits="off", queues_per_user="1000", heartbeat_seconds="59")
    with many.serving() as serving:
        serving.read_greeting(last="╰")
        async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
            writers = await wait_with(client, prepared.owner_key, WARM_UP)
            before = resident_bytes(serving.process.pid)
            writers += await wait_with(client, prepared.owner_key, POLLS)
            grown = resident_bytes(serving.process.pid) - before
        for writer in writers:
            writer.close()
    assert grown < POLLS * MOST_BYTES_PER_POLL, f"{grown / POLLS / 1024:.1f} KiB per poll"


async def wait_with(client: httpx.AsyncClient, api_key: str, count: int) -> list[Writer]:
    """So many polls, each with a connection and a queue of its own, which wait when it returns."""
    polls = [await begin_poll(client, api_key) for _ in range(count)]
    await until_poll_has_arrived(client, polls[-1][0])
    return [writer for _, writer in polls]


async def begin_poll(client: httpx.AsyncClient, api_key: str) -> tuple[dict[str, Any], Writer]:
    """Returns its queue, and its connection."""
    queue = await register(client)
    credentials = b64encode(f"{OWNER_EMAIL}:{api_key}".encode()).decode()
    url = client.base_url
    _, writer = await asyncio.open_connection(url.host, url.port)
    address = f"{url.path}events?{httpx.QueryParams(queue)}"
    writer.write(
        f"GET {address} HTTP/1.1\r\nHost: {url.host}\r\n"
        f"Authorization: Basic {credentials}\r\n\r\n".encode()
    )
    return queue, writer
