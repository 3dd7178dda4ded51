"""The service manager learns from the server itself when requests are served."""

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from chatapi.core.logging import configure_logging
from chatapi.core.service_manager import notify_ready
from chatapi.core.settings import Settings
from tests.support.child_server import temporary_folder
from tests.support.log_lines import collected_log
from tests.support.server_process import START_TIMEOUT_SECONDS, ServerProcess

pytestmark = pytest.mark.slow


@pytest.fixture
def manager() -> Iterator[socket.socket]:
    """A socket such as systemd has one for each service."""
    with (
        temporary_folder("notify") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own,
    ):
        own.bind(str(folder / "s"))
        own.settimeout(START_TIMEOUT_SECONDS)
        yield own


@pytest.mark.parametrize("workers", ["1", "2"])
def test_server_is_ready_when_it_says_so(
    tmp_path: Path, manager: socket.socket, workers: str
) -> None:
    environment = {"NOTIFY_SOCKET": manager.getsockname(), "CHATAPI_DATA_DIR": str(tmp_path)}
    server = ServerProcess(tmp_path, environment, ("--workers", workers))
    server.launch()
    try:
        assert manager.recv(100) == b"READY=1"
        answer = httpx.get(f"{server.url}/ready", timeout=START_TIMEOUT_SECONDS)
    finally:
        server.kill()
    assert answer.status_code == 200


def test_abstract_address_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("")
        name = manager.getsockname()[1:].decode()
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        notify_ready()
        manager.setblocking(False)
        assert manager.recv(100) == b"READY=1"


def test_manager_that_is_gone_does_not_stop_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    configure_logging(Settings())
    with collected_log() as entries:
        notify_ready()
    assert [entry["event"] for entry in entries] == ["service_manager_not_notified"]
