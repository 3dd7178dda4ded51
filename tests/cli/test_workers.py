"""`chatapi serve --workers 2` without Redis: one service in two processes, and their parent."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from sqlalchemy import make_url

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.cli.polling import poll, register
from tests.support.child_processes import children_of
from tests.support.command import PATIENCE_SECONDS, TOO_MUCH_GRACE, Command, ServingCommand
from tests.support.tcp_proxy import tcp_proxy, to_postgres
from tests.support.waiting import until, until_true

pytestmark = pytest.mark.slow


async def test_both_serve_the_same_queue(command: Command, prepared: Prepared) -> None:
    with command.serving("--workers", "2", "--shutdown-grace", TOO_MUCH_GRACE) as serving:
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
        await asyncio.to_thread(serving.end)


class TestSupervisor:
    async def test_workers_end_with_a_parent_that_was_killed(self, command: Command) -> None:
        with command.serving("--workers", "2") as serving:
            serving.read_greeting(last="╰")
            await until(lambda: len(workers_of(serving)) == 2, PATIENCE_SECONDS)
            workers = workers_of(serving)
            serving.process.kill()
            await until(lambda: not any(is_running(worker) for worker in workers), PATIENCE_SECONDS)
            host, _, port = serving.url.removeprefix("http://").partition(":")
            # The port is free for the next one.
            socket.create_server((host, int(port))).close()

    async def test_stuck_worker_is_killed_when_the_grace_is_over(self, command: Command) -> None:
        with command.serving("--workers", "2", "--shutdown-grace", "1") as serving:
            serving.read_greeting(last="╰")
            await until(lambda: len(workers_of(serving)) == 2, PATIENCE_SECONDS)
            stuck, _ = workers = workers_of(serving)
            with asleep(stuck):
                await asyncio.to_thread(serving.end)
            assert not any(is_running(worker) for worker in workers)

    async def test_worker_that_dies_while_the_database_is_away_is_replaced(
        self, postgres_command: Command
    ) -> None:
        database = make_url(postgres_command.settings["database_url"])
        async with tcp_proxy(to_postgres(database)) as proxy:
            through = database.set(host="127.0.0.1", port=proxy.port, query={})
            command = postgres_command.with_settings(
                database_url=through.render_as_string(hide_password=False)
            )
            with command.serving("--workers", "2") as serving:
                await asyncio.to_thread(serving.read_greeting, last="^curl ")
                await until(lambda: len(workers_of(serving)) == 2, PATIENCE_SECONDS)
                dying, staying = workers_of(serving)
                await proxy.refuse()
                os.kill(dying, signal.SIGKILL)
                await until(lambda: len(set(workers_of(serving)) - {dying}) == 2, PATIENCE_SECONDS)
                with asleep(staying):
                    # Only the new worker can respond: first without the database, then with it.
                    assert await status_of_readiness(serving) == 503
                    await proxy.listen()
                    await until_true(lambda: is_ready(serving), PATIENCE_SECONDS)
                assert serving.process.poll() is None


async def status_of_readiness(serving: ServingCommand) -> int:
    async with httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client:
        return (await client.get(f"{serving.url}/ready")).status_code


async def is_ready(serving: ServingCommand) -> bool:
    return await status_of_readiness(serving) == 200


def is_running(process: int) -> bool:
    """Whether a process is running, and not a zombie waiting for its parent."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def workers_of(serving: ServingCommand) -> list[int]:
    """The processes that serve, as Linux lists them below the one that was started."""
    return [child for child in children_of(serving.process.pid) if is_worker(child)]


def is_worker(process: int) -> bool:
    """Whether a process is one that serves; one that has ended meanwhile is not."""
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def asleep(worker: int) -> Iterator[None]:
    """While one process is stopped, new connections go to the other."""
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGCONT)
