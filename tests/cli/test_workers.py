"""`chatapi serve --workers 2` without Redis: one service in two processes."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.cli.polling import poll, register
from tests.support.command import Command, ServingCommand
from tests.support.waiting import until

# Two seconds on a machine that does nothing else; polls would go on for fifty.
LONGEST_END_SECONDS = 5.0


async def test_both_serve_the_same_queue(command: Command, prepared: Prepared) -> None:
    with command.serving("--workers", "2") as serving:
        serving.read_greeting(last="╰")
        assert "CHATAPI_REDIS_URL" in serving.errors.read_text()
        await until(lambda: len(workers_of(serving)) == 2)
        one, other = workers_of(serving)
        key = prepared.owner_key
        async with (
            serving.client(OWNER_EMAIL, key) as at_one,
            serving.client(OWNER_EMAIL, key) as at_other,
        ):
            with asleep(other):
                queue = await register(at_one)
            with asleep(one):
                # The same queue, made by another process, on a connection this one has taken.
                params = {**queue, "dont_block": "true"}
                assert (await at_other.get("/events", params=params)).json()["events"] == []
            waiting = [poll(at_one, queue), poll(at_other, queue)]
            created = await at_other.post(
                "/users",
                data={"email": "emilia@example.com", "full_name": "Emilia", "password": "secret!"},
            )
            for answer in await asyncio.gather(*waiting):
                (event,) = answer.json()["events"]
                assert event["person"]["user_id"] == created.json()["user_id"]
        assert await asyncio.to_thread(serving.end) < LONGEST_END_SECONDS


def workers_of(serving: ServingCommand) -> list[int]:
    """The processes that serve, as Linux lists them below the one that was started."""
    parent = serving.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@contextmanager
def asleep(worker: int) -> Iterator[None]:
    """While one process stands still, new connections go to the other."""
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)
