"""Large JSON responses are compressed for clients that accept it, and nothing else is."""

import asyncio
import gzip
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import httpx
import orjson
import pytest
from typing_extensions import TypedDict

from chatapi.auth.guards import LoggedIn
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.http import compression
from chatapi.http.compression import MIN_BYTES
from chatapi.http.operation import Operation
from chatapi.http.route import FeatureRouter
from chatapi.main import ChatApp
from chatapi.wire.params import Params
from chatapi.wire.secrets import Secret
from tests.factories import MakeUser, Person
from tests.security.seeding import add_people
from tests.support.client import ApiClient, basic_auth
from tests.support.live_server import live_server
from tests.support.responses import assert_success
from tests.support.routes import ROUTES
from tests.support.waiting import MAX_WAIT_SECONDS, until

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Responses are compressed after the last database statement.
pytestmark = pytest.mark.any_database

BOTH = "gzip, zstd"
ENVELOPE = len(b'{"result":"success","msg":"","text":""}')
WITH_CREDENTIAL = {
    "POST /fetch_api_key",
    "POST /users/me/api_key/regenerate",
    "POST /bots",
    "GET /bots/{bot_id}/api_key",
    "POST /bots/{bot_id}/api_key/regenerate",
}
router = FeatureRouter("Test", prefix="/api/v1/test")


class TextParams(Params):
    """GET /test/text: how much text the response has."""

    length: int


class TextPayload(TypedDict):
    """Some text."""

    text: str


class SecretPayload(TypedDict):
    """Some text, and a secret."""

    text: str
    api_key: Secret


@router.get("/text")
async def get_text(_ctx: LoggedIn, params: TextParams) -> TextPayload:
    return {"text": "a" * params.length}


@router.post("/text")
async def post_text(_ctx: LoggedIn, params: TextParams) -> TextPayload:
    return {"text": "a" * params.length}


@router.get("/secret")
async def get_secret(_ctx: LoggedIn, params: TextParams) -> SecretPayload:
    return {"text": "a" * params.length, "api_key": "secret"}


@pytest.fixture
def extra_routes() -> tuple[FeatureRouter, ...]:
    return (router,)


@pytest.fixture
async def http(app: ChatApp, member: Person) -> AsyncIterator[httpx.AsyncClient]:
    """A member's connection to a real server; it says nothing about compression by itself."""
    async with (
        live_server(app) as address,
        httpx.AsyncClient(
            base_url=address, auth=basic_auth(member), timeout=MAX_WAIT_SECONDS
        ) as http,
    ):
        del http.headers["Accept-Encoding"]
        yield http


async def raw(
    http: httpx.AsyncClient, path: str, accepted: str = BOTH, method: str = "GET", **headers: str
) -> tuple[httpx.Response, bytes]:
    """A response and its body as it came over the connection."""
    headers = {"Accept-Encoding": accepted, **headers}
    async with http.stream(method, path, headers=headers) as response:
        return response, b"".join([chunk async for chunk in response.aiter_raw()])


def routes_where(condition: Callable[[Operation], bool]) -> set[str]:
    return {
        f"{route.method} {route.path_format.removeprefix('/api/v1')}"
        for route in ROUTES
        if condition(route.operation)
    }


def text_path(size: int, **options: str) -> str:
    """The path of a response of so many bytes."""
    query = {"length": str(size - ENVELOPE), **options}
    return f"/api/v1/test/text?{httpx.QueryParams(query)}"


class TestCodings:
    @pytest.mark.parametrize(
        ("accepted", "coding", "decompress"),
        [
            ("gzip", "gzip", gzip.decompress),
            ("zstd", "zstd", zstd.decompress),
            ("gzip, deflate, br, zstd", "zstd", zstd.decompress),
            ("*", "zstd", zstd.decompress),
        ],
    )
    @pytest.mark.parametrize("size", [MIN_BYTES, 50_000, 1_000_000])
    async def test_body_is_the_same_after_decompressing(
        self, http: httpx.AsyncClient, accepted: str, coding: str, decompress: object, size: int
    ) -> None:
        _, plain = await raw(http, text_path(size), "identity")
        response, body = await raw(http, text_path(size), accepted)
        assert callable(decompress)
        assert len(plain) == size
        assert decompress(body) == plain
        assert response.headers["content-encoding"] == coding
        assert int(response.headers["content-length"]) == len(body) < size / 10
        assert response.headers["content-type"] == "application/json"

    @pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0, zstd;q=0", "*;q=0"])
    async def test_client_that_accepts_no_coding_gets_json(
        self, http: httpx.AsyncClient, accepted: str
    ) -> None:
        response, body = await raw(http, text_path(50_000), accepted)
        assert "content-encoding" not in response.headers
        assert len(orjson.loads(body)["text"]) == 50_000 - ENVELOPE

    async def test_header_may_have_several_lines(self, http: httpx.AsyncClient) -> None:
        lines = [("Accept-Encoding", "br"), ("Accept-Encoding", "gzip"), ("Accept-Encoding", "foo")]
        response = await http.get(text_path(50_000), headers=lines)
        assert response.headers["content-encoding"] == "gzip"

    async def test_every_response_varies_with_accept_encoding(
        self, http: httpx.AsyncClient
    ) -> None:
        for accepted in (BOTH, "identity"):
            for path in (text_path(100), text_path(50_000), "/api/v1/unknown", "/openapi.json"):
                response, _ = await raw(http, path, accepted)
                varies = response.headers.get_list("vary", split_commas=True)
                assert "Accept-Encoding" in varies

    async def test_head_has_the_headers_of_get(self, http: httpx.AsyncClient) -> None:
        got, _ = await raw(http, text_path(50_000))
        head, body = await raw(http, text_path(50_000), method="HEAD")
        assert body == b""
        for name in ("content-encoding", "content-length", "vary"):
            assert head.headers[name] == got.headers[name]


class TestWhatIsLeftAsItIs:
    async def test_small_response(self, http: httpx.AsyncClient) -> None:
        response, body = await raw(http, text_path(MIN_BYTES - 1))
        assert "content-encoding" not in response.headers
        assert len(body) == MIN_BYTES - 1

    async def test_error(self, http: httpx.AsyncClient) -> None:
        response, _ = await raw(http, f"/api/v1/test/text?length={'9' * 5_000}")
        assert response.status_code == 400
        assert "content-encoding" not in response.headers

    async def test_upload_and_picture(
        self, http: httpx.AsyncClient, client: ApiClient, member: Person
    ) -> None:
        file = {"file": ("a.json", b'{"a": 1}' * 10_000, "application/json")}
        url = assert_success(await client.call("POST", "/user_uploads", member, files=file))["url"]
        for path in (url, "/static/generated/emoji/images/emoji/unicode/zulip.png"):
            response, body = await raw(http, path)
            assert response.status_code == 200
            assert "content-encoding" not in response.headers
            assert int(response.headers["content-length"]) == len(body)

    async def test_event_stream(
        self, http: httpx.AsyncClient, client: ApiClient, member: Person
    ) -> None:
        queue = assert_success(await client.post("/register", member, fetch_event_types=[]))
        path = f"/api/v1/events?queue_id={queue['queue_id']}&last_event_id=-1"
        response, _ = await raw(http, path, method="HEAD", Accept="text/event-stream")
        assert response.headers["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in response.headers


class TestEvents:
    @pytest.mark.parametrize(("count", "coding"), [(1, None), (30, "zstd")])
    async def test_poll_is_compressed_if_it_returns_many_events(
        self,
        http: httpx.AsyncClient,
        client: ApiClient,
        member: Person,
        count: int,
        coding: str | None,
    ) -> None:
        queue = assert_success(
            await client.post("/register", member, event_types=["typing", "saved_snippets"])
        )
        for number in range(count):
            snippet = {"title": str(number), "content": "Hello"}
            assert_success(await client.post("/saved_snippets", member, **snippet))
        path = f"/api/v1/events?queue_id={queue['queue_id']}&last_event_id=-1"
        response, _ = await raw(http, path)
        assert response.headers.get("content-encoding") == coding


class TestBreach:
    """A secret cannot be found out by how well guesses are compressed beside it."""

    async def test_response_with_a_secret_is_not_compressed(self, http: httpx.AsyncClient) -> None:
        response, _ = await raw(http, "/api/v1/test/secret?length=50000")
        assert response.status_code == 200
        assert "content-encoding" not in response.headers

    def test_credentials_are_in_these_responses(self) -> None:
        assert routes_where(lambda operation: operation.returns_credential) == WITH_CREDENTIAL

    def test_responses_with_other_secrets_may_be_compressed(self) -> None:
        """The tokens of services that bots call give no access to this server."""
        with_secret = routes_where(lambda operation: operation.returns_secret)
        assert with_secret - WITH_CREDENTIAL == {"POST /register"}

    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
        ],
    )
    async def test_response_to_a_page_of_another_site_is_not_compressed(
        self, http: httpx.AsyncClient, headers: dict[str, str]
    ) -> None:
        response, _ = await raw(http, text_path(50_000), **headers)
        assert response.status_code == 200
        assert "content-encoding" not in response.headers

    @pytest.mark.parametrize("site", ["same-origin", "none"])
    async def test_response_to_our_own_page_is_compressed(
        self, http: httpx.AsyncClient, site: str
    ) -> None:
        response, _ = await raw(http, text_path(50_000), **{"Sec-Fetch-Site": site})
        assert response.headers["content-encoding"] == "zstd"

    async def test_link_cannot_add_its_guess_to_a_compressed_response(
        self, http: httpx.AsyncClient
    ) -> None:
        response, body = await raw(http, text_path(50_000, guess="1"))
        assert orjson.loads(body)["ignored_parameters_unsupported"] == ["guess"]
        assert "content-encoding" not in response.headers

    async def test_unknown_parameters_of_a_post_may_be_compressed(
        self, http: httpx.AsyncClient
    ) -> None:
        """A page of another site cannot send one."""
        response, _ = await raw(http, text_path(50_000, guess="1"), method="POST")
        assert response.headers["content-encoding"] == "zstd"


class TestListedOrigin:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"cors_origins": "https://app.example.com"})

    async def test_response_to_a_page_of_a_listed_origin_is_compressed(
        self, http: httpx.AsyncClient
    ) -> None:
        headers = {"Origin": "https://app.example.com", "Sec-Fetch-Site": "cross-site"}
        response, _ = await raw(http, text_path(50_000), **headers)
        assert response.headers["content-encoding"] == "zstd"


@contextmanager
def busy_threads(runtime: Runtime) -> Iterator[None]:
    """All threads for compressing are busy until the end of the block."""
    done = threading.Event()
    for _ in range(compression._THREADS):
        runtime.compressor._threads._executor.submit(done.wait, 30)
    try:
        yield
    finally:
        done.set()


class TestManyAtOnce:
    async def test_no_response_waits_for_more_than_a_few_others(
        self, http: httpx.AsyncClient, runtime: Runtime
    ) -> None:
        large = text_path(500_000)
        with busy_threads(runtime):
            waiting = [
                asyncio.ensure_future(raw(http, large)) for _ in range(compression._MAX_AT_ONCE)
            ]
            await until(lambda: runtime.compressor._at_once == compression._MAX_AT_ONCE)
            surplus, _ = await raw(http, large)
            small, _ = await raw(http, text_path(2_000))
        assert "content-encoding" not in surplus.headers
        assert small.headers["content-encoding"] == "zstd"
        for response, _ in await asyncio.gather(*waiting):
            assert response.headers["content-encoding"] == "zstd"

    async def test_large_organization_fits_into_a_tenth(
        self,
        http: httpx.AsyncClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_user: MakeUser,
    ) -> None:
        await make_user()
        await add_people(runtime, realm, 500, [])
        _, plain = await raw(http, "/api/v1/users", "identity")
        for coding in ("gzip", "zstd"):
            _, compressed = await raw(http, "/api/v1/users", coding)
            assert len(compressed) * 10 < len(plain)
