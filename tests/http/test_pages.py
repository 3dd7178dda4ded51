"""The HTML pages: they load nothing from other hosts and reveal nothing."""

import re

import httpx
import orjson
import pytest

from tests.support.client import ApiClient

PAGES = ("/", "/docs")


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
        assert all(link.startswith("/") and not link.startswith("//") for link in links)
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
    async def test_are_cached_for_ever(self, http: httpx.AsyncClient) -> None:
        response = await http.get("/docs/assets/swagger-ui-bundle.js")
        assert response.headers["content-type"].startswith("text/javascript")
        assert "immutable" in response.headers["cache-control"]

    @pytest.mark.parametrize("name", ["", "unknown.js", "home.html", "../__init__.py", "%2e%2e"])
    async def test_are_only_the_known_ones(self, http: httpx.AsyncClient, name: str) -> None:
        response = await http.get(f"/docs/assets/{name}")
        assert response.status_code == 404
        assert response.json()["code"] == "NOT_FOUND"

    async def test_favicon_has_its_usual_path(self, http: httpx.AsyncClient) -> None:
        response = await http.get("/favicon.ico", follow_redirects=True)
        assert response.headers["content-type"] == "image/svg+xml"
