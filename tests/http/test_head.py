"""HEAD is answered wherever GET is: the same status and headers, and no body."""

from collections.abc import AsyncIterator

import httpx
import pytest

from chatapi.main import ChatApp
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth
from tests.support.live_server import live_server
from tests.support.responses import assert_success
from tests.support.routes import ROUTES, example_of
from tests.support.waiting import MAX_WAIT_SECONDS

# Headers do not depend on the database.
pytestmark = pytest.mark.any_database

CHANGING_HEADERS = {"date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset", "expires"}
GET_ROUTES = [route for route in ROUTES if route.method == "GET"]


@pytest.fixture
async def http(app: ChatApp) -> AsyncIterator[httpx.AsyncClient]:
    """A connection to a real server, which would fail if a body came after a HEAD."""
    async with (
        live_server(app) as address,
        httpx.AsyncClient(base_url=address, timeout=MAX_WAIT_SECONDS) as http,
    ):
        yield http


async def assert_same_headers(
    http: httpx.AsyncClient, path: str, person: Person | None, **request: object
) -> httpx.Response:
    got, head = [
        await http.request(method, path, auth=basic_auth(person), **request)  # type: ignore[arg-type]
        for method in ("GET", "HEAD")
    ]
    assert head.content == b""
    assert head.status_code == got.status_code
    for name in got.headers.keys() - CHANGING_HEADERS:
        assert head.headers[name] == got.headers[name], name
    return head


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/favicon.ico", "/nothing"])
async def test_head_of_a_page_has_the_headers_of_get(http: httpx.AsyncClient, path: str) -> None:
    await assert_same_headers(http, path, None)


async def test_head_of_every_read_has_the_headers_of_get(
    http: httpx.AsyncClient, owner: Person
) -> None:
    for route in GET_ROUTES:
        values = {**example_of(route), "dont_block": "true"}
        path = route.path_format.replace("{user_id_or_email}", owner.email)
        for name in route.param_convertors:
            path = path.replace(f"{{{name}}}", "1")
        await assert_same_headers(http, path, owner, params=values)


async def test_head_of_a_file_has_its_size(
    http: httpx.AsyncClient, client: ApiClient, member: Person
) -> None:
    file = {"file": ("a.txt", b"content" * 100_000)}
    url = assert_success(await client.call("POST", "/user_uploads", member, files=file))["url"]
    head = await assert_same_headers(http, url, member)
    assert head.headers["content-length"] == "700000"


async def test_event_stream_ends_at_once(
    http: httpx.AsyncClient, client: ApiClient, member: Person
) -> None:
    queue = assert_success(await client.post("/register", member, fetch_event_types=[]))
    head = await http.request(
        "HEAD",
        "/api/v1/events",
        params={"queue_id": queue["queue_id"], "last_event_id": "-1"},
        headers={"Accept": "text/event-stream"},
        auth=basic_auth(member),
    )
    assert head.status_code == 200
    assert head.headers["content-type"].startswith("text/event-stream")


async def test_other_methods_have_no_head(http: httpx.AsyncClient, member: Person) -> None:
    head = await http.request("HEAD", "/api/v1/messages/flags", auth=basic_auth(member))
    assert head.status_code == 405
    assert "HEAD" not in head.headers["allow"]
