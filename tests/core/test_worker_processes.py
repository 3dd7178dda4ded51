"""Heavy computations run in processes of their own."""

import asyncio
import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chatapi.core.errors import UnavailableError
from chatapi.core.open_files import raise_open_file_limit
from chatapi.core.worker_processes import WorkerProcesses
from chatapi.rendering import Linkifier, Linkifiers, Pattern, UrlTemplate
from tests.support.waiting import until

SERVER = """
import asyncio, os
from chatapi.core.open_files import raise_open_file_limit
from chatapi.core.worker_processes import WorkerProcesses

async def main():
    print(await WorkerProcesses("test", 1).run(os.getpid), flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
async def processes() -> AsyncIterator[WorkerProcesses]:
    processes = WorkerProcesses("test", 2)
    yield processes
    processes.close()


def is_running(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


async def test_results_and_keyword_arguments_are_passed_on(processes: WorkerProcesses) -> None:
    assert await processes.run(int, "ff", base=16) == 255
    assert await processes.run(sorted, [2, 1], reverse=True) == [2, 1]


async def test_exceptions_are_raised_and_the_process_goes_on(processes: WorkerProcesses) -> None:
    pid = await processes.run(os.getpid)
    with pytest.raises(ZeroDivisionError):
        await processes.run(operator.truediv, 1, 0)
    assert await processes.run(os.getpid) == pid != os.getpid()


async def test_as_many_run_at_once_as_there_are_processes(processes: WorkerProcesses) -> None:
    began = [asyncio.create_task(processes.run(time.sleep, 0.5)) for _ in range(4)]
    await until(lambda: len(processes._running) == 2)
    await asyncio.gather(*began)
    assert len(processes._idle) == 2


async def test_computation_takes_no_time_of_the_server(processes: WorkerProcesses) -> None:
    await processes.run(os.getpid)
    began = time.process_time()
    await processes.run(exec, "for _ in range(10_000_000): pass")
    assert time.process_time() - began < 0.1


async def test_process_that_ended_while_idle_is_replaced(processes: WorkerProcesses) -> None:
    pid = await processes.run(os.getpid)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not is_running(pid))
    assert await processes.run(os.getpid) != pid


async def test_process_that_ends_during_work_is_an_error_and_is_replaced(
    processes: WorkerProcesses,
) -> None:
    with pytest.raises(UnavailableError):
        await processes.run(os._exit, 1)
    assert await processes.run(abs, -1) == 1


async def test_work_that_takes_too_long_is_stopped(
    processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = await processes.run(os.getpid)
    monkeypatch.setattr("chatapi.core.worker_processes._MAX_SECONDS", 0.1)
    with pytest.raises(UnavailableError):
        await processes.run(time.sleep, 600)
    assert not is_running(pid)


async def test_server_with_many_open_files_gets_results(processes: WorkerProcesses) -> None:
    """Each waiting client is one: there may be thousands."""
    raise_open_file_limit()
    with ExitStack() as stack:
        for _ in range(1_100):
            stack.callback(os.close, os.dup(0))
        assert await processes.run(abs, -1) == 1


async def test_has_none_of_the_server_environment(
    processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATAPI_DATABASE_URL", "secret")
    assert await processes.run(os.getenv, "CHATAPI_DATABASE_URL") is None


async def test_printed_text_is_not_taken_for_a_result(processes: WorkerProcesses) -> None:
    assert await processes.run(os.write, 1, b"printed by a library\n") == 21


async def test_close_ends_idle_and_working_processes() -> None:
    processes = WorkerProcesses("test", 2)
    working = asyncio.create_task(processes.run(time.sleep, 600))
    idle = await processes.run(os.getpid)
    await until(lambda: len(processes._running) == 1)
    processes.close()
    with pytest.raises(UnavailableError):
        await working
    assert not is_running(idle)


async def test_ends_with_a_server_that_was_killed() -> None:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    pid = int(await server.stdout.readline())
    assert is_running(pid)
    server.kill()
    await server.wait()
    await until(lambda: not is_running(pid))


async def test_linkifiers_are_copied(processes: WorkerProcesses) -> None:
    tickets = Linkifiers(
        [Linkifier(Pattern(r"#(?P<id>\d+)"), UrlTemplate.parse("https://x.y/{id}"))]
    )
    [link] = await processes.run(tickets.find, b"see #12")
    assert link.url == "https://x.y/12"
