"""Files that the proxy sends after the server has checked access (X-Accel-Redirect)."""

from pathlib import Path

import httpx
import pytest

from chatapi.core.errors import NotFoundError
from tests.deploy.conftest import Site
from tests.factories import MakeUser, Person
from tests.support.client import basic_auth
from tests.support.proxies import REQUEST_TIMEOUT_SECONDS

CONTENT = bytes(range(100))
NAME = "Größe.mp4"
ORIGIN = "https://app.example.com"
OF_THE_CONNECTION = {
    *("date", "server", "connection", "alt-svc"),
    *("strict-transport-security", "x-request-id"),
}
"""Headers in which a response of the proxy differs, or that name one request."""
pytestmark = pytest.mark.deploy


async def upload(http: httpx.AsyncClient) -> str:
    answer = await http.post("/api/v1/user_uploads", files={"file": (NAME, CONTENT, "video/mp4")})
    url: str = answer.raise_for_status().json()["url"]
    return url


def compared(response: httpx.Response) -> dict[str, list[str]]:
    """The headers that must not depend on who sends a file; `Vary` in any order."""
    headers = response.headers
    # A part says by Content-Range that there are parts.
    left_out = OF_THE_CONNECTION | ({"accept-ranges"} if response.status_code == 206 else set())
    values = {
        name: headers.get_list(name, split_commas=name == "vary")
        for name in headers
        if name not in left_out and not name.startswith("x-ratelimit")
    }
    return {**values, "vary": sorted(values.get("vary", []))}


class TestDownload:
    async def test_is_the_response_of_the_server(self, site: Site, member: Person) -> None:
        proxy = site.proxy(await site.server(cors_origins=ORIGIN))
        async with proxy.client(member) as http:
            url = await upload(http)
            cases: list[dict[str, str]] = [
                {},
                {"Range": "bytes=10-19"},
                {"Range": "bytes=-10"},
                {"Range": "bytes=0-1,5-6"},
                {"Range": "bytes=9-0"},
                {"Range": "bytes=100-"},
                {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
                {"Origin": ORIGIN},
            ]
            etag = (await http.get(url)).headers["etag"]
            cases += [
                {"Range": "bytes=10-19", "If-Range": etag},
                {"Range": "bytes=10-19", "If-Range": '"another"'},
            ]
            by_proxy = [await http.get(url, headers=headers) for headers in cases]
            by_proxy.append(await http.head(url))
        plain = await site.server(accel_location="", cors_origins=ORIGIN)
        async with httpx.AsyncClient(
            base_url=plain.url, auth=basic_auth(member), timeout=REQUEST_TIMEOUT_SECONDS
        ) as http:
            by_server = [await http.get(url, headers=headers) for headers in cases]
            by_server.append(await http.head(url))
        for case, sent, expected in zip([*cases, "HEAD"], by_proxy, by_server, strict=True):
            assert sent.status_code == expected.status_code, case
            assert sent.content == expected.content, case
            assert compared(sent) == compared(expected), case
            assert sent.headers["x-request-id"], case

    @pytest.mark.any_database
    async def test_bytes_come_from_the_proxy(self, site: Site, member: Person) -> None:
        server = await site.server()
        proxy = site.proxy(server)
        async with proxy.client(member) as http:
            url = await upload(http)
            assert (await http.get(url)).content == CONTENT
            direct = await http.get(f"{server.url}{url}")
        assert direct.content == b""
        assert direct.headers["x-accel-redirect"].startswith("/_uploads/")

    async def test_needs_access(self, site: Site, member: Person, make_user: MakeUser) -> None:
        stranger = await make_user()
        proxy = site.proxy(await site.server())
        async with proxy.client(member) as http:
            url = await upload(http)
            (stored,) = stored_files(site.uploads)
            internal = f"/_uploads/{stored.relative_to(site.uploads)}"
            direct = await http.get(internal)
            temporary = (await http.get(f"/api/v1{url}")).json()["url"]
        async with proxy.client(stranger) as http:
            refused = await http.get(url)
        async with proxy.client() as http:
            anonymous = await http.get(url)
            opened = await http.get(temporary)
        statuses = [answer.status_code for answer in (direct, refused, anonymous, opened)]
        assert statuses == [404, 404, 401, 200]
        assert opened.content == CONTENT
        assert direct.json()["code"] == "NOT_FOUND"

    @pytest.mark.any_database
    async def test_missing_file_gets_the_error_envelope(self, site: Site, member: Person) -> None:
        proxy = site.proxy(await site.server())
        async with proxy.client(member) as http:
            url = await upload(http)
            (stored,) = stored_files(site.uploads)
            stored.unlink()
            missing = await http.get(url)
        assert (missing.status_code, missing.json()) == (404, NotFoundError().envelope())
        assert missing.headers["content-type"] == "application/json"


def stored_files(uploads: Path) -> list[Path]:
    return [path for path in uploads.rglob("*") if path.is_file()]
