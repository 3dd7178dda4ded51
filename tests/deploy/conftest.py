"""A server behind a proxy of deploy/."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.settings import Settings
from tests.support.proxies import Backend, Proxy, caddy, nginx
from tests.support.server_process import ServerProcess, free_port, server_process

StartProxy = Callable[[Path, Backend, Mapping[str, str]], AbstractContextManager[Proxy]]


class Site:
    """Starts servers, and the proxy in front of them, for one test."""

    def __init__(self, folder: Path, database_url: str, start_proxy: StartProxy) -> None:
        self.folder = folder
        self._start_proxy = start_proxy
        self._stack = ExitStack()
        self.uploads = folder / "data" / "uploads"
        self.settings = {
            "trusted_proxies": "127.0.0.1",
            "accel_location": "/_uploads/",
            "database_url": database_url,
            "data_dir": str(folder / "data"),
        }
        """Those that the example files ask for, on the database of the test."""

    def server(self, **settings: str) -> ServerProcess:
        """A server with the settings that the example files ask for."""
        folder = self.folder / f"server-{free_port()}"
        folder.mkdir()
        return self._stack.enter_context(server_process(folder, **{**self.settings, **settings}))

    def proxy(self, *servers: ServerProcess, changes: Mapping[str, str] | None = None) -> Proxy:
        """The proxy in front of one server or two; the other place is empty for one."""
        first, second = (*(server.port for server in servers), free_port())[:2]
        folder = self.folder / "proxy"
        folder.mkdir()
        backend = Backend((first, second), self.uploads)
        return self._stack.enter_context(self._start_proxy(folder, backend, changes or {}))

    def close(self) -> None:
        self._stack.close()


PROXIES: Mapping[str, StartProxy] = {"nginx": nginx, "caddy": caddy}


@pytest.fixture(params=PROXIES)
def start_proxy(request: pytest.FixtureRequest) -> StartProxy:
    """Each proxy that has an example, one after the other."""
    return PROXIES[request.param]


@pytest.fixture
def site(
    settings: Settings,
    realm: RealmRecord,
    start_proxy: StartProxy,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"), settings.database_url, start_proxy)
    try:
        yield site
    finally:
        site.close()
