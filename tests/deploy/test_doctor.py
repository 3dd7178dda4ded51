"""`chatapi doctor` and a real proxy: what the proxy does not pass on is found."""

import asyncio

import pytest

from tests.deploy.conftest import Site, StartProxy
from tests.support.command import Command
from tests.support.proxies import Proxy, nginx

pytestmark = [pytest.mark.deploy, pytest.mark.any_database]


async def proxy_findings(site: Site, proxy: Proxy) -> dict[str, str]:
    """The findings about the proxy by level, with the settings that the examples ask for."""
    settings = {**site.settings, "public_url": proxy.url}
    command = Command(site.folder, settings).with_variables(SSL_CERT_FILE=str(proxy.authority))
    outcome = await asyncio.to_thread(command.run, "doctor", "--json")
    findings = outcome.json["findings"]
    return {each["level"]: each["message"] for each in findings if each["area"] == "proxy"}


async def test_example_files_are_found_to_be_right(site: Site) -> None:
    proxy = site.proxy(await site.server())
    assert await proxy_findings(site, proxy) == {"ok": f"{proxy.url} leads to the server"}


class TestNginx:
    @pytest.fixture
    def start_proxy(self) -> StartProxy:
        return nginx

    @pytest.mark.parametrize(
        ("line", "seen"),
        [
            ("proxy_set_header X-Forwarded-Proto $scheme;", "http://127.0.0.1"),
            ("proxy_set_header Host $http_host;", "https://chatapi"),
        ],
    )
    async def test_header_that_is_not_passed_on_is_named(
        self, site: Site, line: str, seen: str
    ) -> None:
        proxy = site.proxy(await site.server(), changes={line: ""})
        [(level, message)] = (await proxy_findings(site, proxy)).items()
        assert level == "warning"
        assert f"its address is {seen}" in message
        assert line.split()[1] in message

    async def test_proxy_without_a_server_behind_it_is_an_error(self, site: Site) -> None:
        server = await site.server()
        proxy = site.proxy(server)
        await server.terminate()
        [(level, message)] = (await proxy_findings(site, proxy)).items()
        assert (level, "answers 503" in message) == ("error", True)
