"""The HTML pages: they load nothing from other hosts and reveal nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import orjson
import pytest

from chatapi.core.errors import ApiError
from chatapi.http import pages
from chatapi.http.pages import guide_names
from chatapi.main import FEATURES
from tests.support.client import ApiClient

PAGES = ("/", "/docs")
GUIDES = sorted((Path(pages.__file__).parent / "guides").glob("*.md"))


@pytest.fixture
def backend() -> str:
    """One is enough: no page uses the database."""
    return "sqlite"


@pytest.fixture
def http(client: ApiClient) -> httpx.AsyncClient:
    return client.http


@pytest.mark.parametrize("path", PAGES)
class TestEveryPage:
    async def test_loads_only_from_this_server(self, http: httpx.AsyncClient, path: str) -> None:
        page = await http.get(path)

        links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert page.status_code == 200
        assert links
        assert all(re.match(r"#|/(?!/)", link) for link in links)
        for link in links:
            if link.startswith("/docs/assets/"):
                assert (await http.get(link)).status_code == 200

    async def test_has_a_strict_content_security_policy(
        self, http: httpx.AsyncClient, path: str
    ) -> None:
        headers = (await http.get(path)).headers

        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"

    async def test_answers_head_without_body(self, http: httpx.AsyncClient, path: str) -> None:
        response = await http.head(path)
        assert response.status_code == 200

    async def test_cannot_be_posted_to(self, http: httpx.AsyncClient, path: str) -> None:
        response = await http.post(path)
        assert response.status_code == 405
        assert response.json()["code"] == "METHOD_NOT_ALLOWED"


class TestHome:
    async def test_shows_a_command_for_this_host(self, http: httpx.AsyncClient) -> None:
        page = await http.get("/", headers={"host": "chat.example.com:9991"})
        assert "curl http://chat.example.com:9991/api/v1/server_settings" in page.text

    async def test_shows_a_command_without_a_host(self, http: httpx.AsyncClient) -> None:
        page = await http.get("/", headers={"host": ""})
        assert "curl http://localhost/api/v1/server_settings" in page.text

    @pytest.mark.parametrize("host", ["<script>alert(1)</script>", "a;rm -rf b", "a`b`"])
    async def test_invalid_host_is_not_shown(self, http: httpx.AsyncClient, host: str) -> None:
        page = await http.get("/", headers={"host": host})
        assert page.status_code == 400
        assert host not in page.text


class TestDocument:
    async def test_is_the_document_of_the_service(self, http: httpx.AsyncClient) -> None:
        response = await http.get("/openapi.json")

        document = orjson.loads(response.content)
        assert response.headers["content-type"] == "application/json"
        assert document["openapi"].startswith("3.1")
        assert "/api/v1/register" in document["paths"]

    async def test_content_type_is_not_sniffed(self, http: httpx.AsyncClient) -> None:
        response = await http.get("/openapi.json")
        assert response.headers["x-content-type-options"] == "nosniff"


class TestAssets:
    @pytest.fixture
    async def links(self, http: httpx.AsyncClient) -> list[str]:
        return re.findall(r'"(/docs/assets/[^"]+)"', (await http.get("/docs")).text)

    async def test_are_cached_for_ever_under_a_name_with_a_digest(
        self, http: httpx.AsyncClient, links: list[str]
    ) -> None:
        assert len(links) > 20
        for link in links:
            response = await http.head(link)
            assert re.match(r"/docs/assets/[0-9a-f]{12}/", link)
            assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert response.headers["x-content-type-options"] == "nosniff"

    async def test_are_compressed_for_clients_that_accept_it(
        self, http: httpx.AsyncClient, links: list[str]
    ) -> None:
        [link] = [link for link in links if link.endswith("/docs.css")]
        plain = await http.get(link, headers={"accept-encoding": "gzip;q=0, identity"})
        compressed = await http.get(link, headers={"accept-encoding": "br, gzip"})

        assert "content-encoding" not in plain.headers
        assert compressed.headers["content-encoding"] == "gzip"
        assert compressed.headers["vary"] == "Accept-Encoding"
        assert int(compressed.headers["content-length"]) * 3 < len(plain.content)
        assert compressed.text == plain.text

    async def test_are_loaded_before_modules_ask_for_them(
        self, http: httpx.AsyncClient, links: list[str]
    ) -> None:
        for link in [link for link in links if link.endswith(".js")]:
            source = (await http.get(link)).text
            for imported in re.findall(r'from "\./([^"]+)"', source):
                assert f"{link.rpartition('/')[0]}/{imported}" in links

    @pytest.mark.parametrize("name", ["", "unknown.js", "home.html", "../__init__.py", "%2e%2e"])
    async def test_are_only_the_known_ones(
        self, http: httpx.AsyncClient, links: list[str], name: str
    ) -> None:
        for folder in ("/docs/assets", links[0].rpartition("/")[0]):
            response = await http.get(f"{folder}/{name}")
            assert response.status_code == 404
            assert response.json()["code"] == "NOT_FOUND"

    async def test_favicon_has_its_usual_path(self, http: httpx.AsyncClient) -> None:
        response = await http.get("/favicon.ico", follow_redirects=True)
        assert response.headers["content-type"] == "image/svg+xml"


class TestDocsPage:
    async def test_is_not_sent_again_to_a_client_that_has_it(self, http: httpx.AsyncClient) -> None:
        tag = (await http.get("/docs")).headers["etag"]
        response = await http.get("/docs", headers={"if-none-match": tag})
        assert (response.status_code, response.content) == (304, b"")

    async def test_text_cannot_become_html(self, http: httpx.AsyncClient) -> None:
        policy = (await http.get("/docs")).headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy


class TestGuides:
    def test_all_files_are_shown(self) -> None:
        assert {file.stem for file in GUIDES} == set(guide_names())

    @pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
    def test_links_lead_to_operations_and_guides(self, guide: Path) -> None:
        operations = {route.name for feature in FEATURES for route in feature.chat_routes}
        for link in re.findall(r"\]\(([^)]+)\)", guide.read_text()):
            target = link.removeprefix("/docs#")
            assert target in operations or (guide.parent / link).exists(), link

    def test_errors_are_listed_with_code_and_status(self) -> None:
        page = next(guide for guide in GUIDES if guide.stem == "errors").read_text()
        listed = re.findall(r"^\| `([A-Z_]+)` \| (\d+) \|", page, re.MULTILINE)
        assert {(code, int(status)) for code, status in listed} == {
            (error.code, error.status) for error in _all_errors(ApiError)
        }
        assert len(listed) == len(set(listed))


def _all_errors(base: type[ApiError]) -> Iterator[type[ApiError]]:
    for error in base.__subclasses__():
        # Commands have errors of their own, which no client sees.
        package = ".".join(error.__module__.split(".")[:2])
        if package not in {"chatapi.cli", "chatapi.backup"} and package.startswith("chatapi."):
            yield error
            yield from _all_errors(error)
