"""A server behind a proxy of deploy/."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack
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
        self._stack = AsyncExitStack()
        self.uploads = folder / "data" / "uploads"
        self.settings = {
            "trusted_proxies": "127.0.0.1",
            "accel_location": "/_uploads/",
            "database_url": database_url,
            "data_dir": str(folder / "data"),
        }
        """Those that the example files ask for, on the database of the test."""

    async def server(self, **settings: str) -> ServerProcess:
        """A server with the settings that the example files ask for."""
        folder = self.folder / f"server-{free_port()}"
        folder.mkdir()
        starting = server_process(folder, **{**self.settings, **settings})
        return await self._stack.enter_async_context(starting)

    def proxy(self, *servers: ServerProcess, changes: Mapping[str, str] | None = None) -> Proxy:
        """The proxy in front of one server or two; the other place is empty for one."""
        first, second = (*(server.port for server in servers), free_port())[:2]
        folder = self.folder / "proxy"
        folder.mkdir()
        backend = Backend((first, second), self.uploads)
        return self._stack.enter_context(self._start_proxy(folder, backend, changes or {}))

    async def close(self) -> None:
        await self._stack.aclose()


PROXIES: Mapping[str, StartProxy] = {"nginx": nginx, "caddy": caddy}


@pytest.fixture(params=PROXIES)
def start_proxy(request: pytest.FixtureRequest) -> StartProxy:
    """Each proxy that has an example, one after the other."""
    return PROXIES[request.param]


@pytest.fixture
async def site(
    settings: Settings,
    realm: RealmRecord,
    start_proxy: StartProxy,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"), settings.database_url, start_proxy)
    try:
        yield site
    finally:
        await site.close()
