"""Cross-origin requests: only of listed origins, and never with credentials of the browser."""

import asyncio

import httpx
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.settings import Settings
from chatapi.main import ChatApp
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth
from tests.support.responses import assert_error, assert_success
from tests.support.sample_events import Noted, commit_events
from tests.support.waiting import until_polls_wait

# Origins are checked before any database statement.
pytestmark = pytest.mark.any_database

LISTED = "https://app.example.com"
OTHER_LISTED = "http://localhost:5173"
FOREIGN = ["https://evil.example", "https://app.example.com.evil.example", "null", "*", ""]
SNIPPET = {"title": "Hello", "content": "Hello"}


def cors_headers(response: httpx.Response) -> dict[str, str]:
    found = {name: value for name, value in response.headers.items() if "access-control" in name}
    return {name.removeprefix("access-control-"): value for name, value in found.items()}


async def preflight(client: ApiClient, origin: str, path: str = "/messages") -> httpx.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
        "Sec-Fetch-Site": "cross-site",
    }
    return await client.http.options(f"/api/v1{path}", headers=headers)


class TestListedOrigins:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"cors_origins": f"{LISTED},{OTHER_LISTED}"})

    @pytest.mark.parametrize("origin", [LISTED, OTHER_LISTED])
    async def test_preflight_allows_what_the_api_needs(
        self, client: ApiClient, origin: str
    ) -> None:
        response = await preflight(client, origin)
        allowed = cors_headers(response)
        assert (response.status_code, response.content) == (204, b"")
        assert allowed["allow-origin"] == origin
        assert {"POST", "PATCH", "PUT", "DELETE"} <= set(allowed["allow-methods"].split(", "))
        assert {"Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"} <= set(
            allowed["allow-headers"].split(", ")
        )
        assert int(allowed["max-age"]) > 0
        assert "allow-credentials" not in allowed
        assert "Origin" in response.headers["vary"]

    @pytest.mark.parametrize("origin", FOREIGN)
    async def test_preflight_of_another_origin_allows_nothing(
        self, client: ApiClient, origin: str
    ) -> None:
        response = await preflight(client, origin)
        assert response.status_code == 405
        assert cors_headers(response) == {}

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    async def test_page_of_a_listed_origin_may_change_something(
        self, client: ApiClient, member: Person, site: str
    ) -> None:
        headers = {"Origin": LISTED, "Sec-Fetch-Site": site}
        answer = await client.call("POST", "/saved_snippets", member, json=SNIPPET, headers=headers)
        assert_success(answer)
        assert answer.headers["access-control-allow-origin"] == LISTED
        assert "X-Request-Id" in answer.headers["access-control-expose-headers"]

    @pytest.mark.parametrize("origin", [LISTED, *FOREIGN])
    async def test_response_that_is_sent_at_once_has_the_same_headers(
        self, client: ApiClient, member: Person, origin: str
    ) -> None:
        client.http.headers["Origin"] = origin
        at_once = await client.get("/users/me", member)
        by_messages = await client.call("GET", "/users/me", member)
        headers = [
            {name: value for name, value in answer.headers.items() if name != "x-request-id"}
            for answer in (at_once, by_messages)
        ]
        assert headers[0] == headers[1]
        assert (at_once.headers.get("access-control-allow-origin") == origin) == (origin == LISTED)

    async def test_page_of_a_listed_origin_can_read_the_events_it_waited_for(
        self, app: ChatApp, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        client.http.headers["Origin"] = LISTED
        queue = assert_success(await client.post("/register", member, event_types=["test_note"]))
        position = {"queue_id": queue["queue_id"], "last_event_id": queue["last_event_id"]}
        poll = asyncio.create_task(client.get("/events", member, **position))
        await until_polls_wait(app.runtime, realm)
        await commit_events(app.runtime, realm, Noted(text="a"))
        answer = await poll
        assert [event["text"] for event in answer["events"]] == ["a"]
        assert answer.headers["access-control-allow-origin"] == LISTED

    async def test_errors_can_be_read_too(self, client: ApiClient, realm: RealmRecord) -> None:
        answer = await client.call("GET", "/users/me", headers={"Origin": LISTED})
        assert_error(answer, "UNAUTHORIZED", 401)
        assert answer.headers["access-control-allow-origin"] == LISTED

    async def test_document_and_pages_have_the_headers_too(self, client: ApiClient) -> None:
        response = await client.http.get("/openapi.json", headers={"Origin": LISTED})
        assert cors_headers(response)["allow-origin"] == LISTED

    @pytest.mark.parametrize("origin", FOREIGN)
    async def test_page_of_another_origin_changes_nothing(
        self, client: ApiClient, member: Person, origin: str
    ) -> None:
        headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
        answer = await client.call("POST", "/saved_snippets", member, json=SNIPPET, headers=headers)
        assert_error(answer, "CROSS_SITE_REQUEST", 403)
        assert (await client.get("/saved_snippets", member))["saved_snippets"] == []

    async def test_page_of_another_origin_cannot_read(
        self, client: ApiClient, member: Person
    ) -> None:
        headers = {"Origin": "https://evil.example"}
        response = await client.http.get(
            "/api/v1/users/me", auth=basic_auth(member), headers=headers
        )
        assert cors_headers(response) == {}
        assert "Origin" in response.headers["vary"]

    async def test_response_for_no_origin_is_not_cached_for_one(
        self, client: ApiClient, member: Person
    ) -> None:
        answer = await client.get("/users/me", member)
        assert "Origin" in answer.headers["vary"]

    async def test_options_without_preflight_is_no_method_of_the_api(
        self, client: ApiClient
    ) -> None:
        response = await client.http.options("/api/v1/messages", headers={"Origin": LISTED})
        assert response.status_code == 405


class TestWithoutSetting:
    @pytest.mark.parametrize("origin", [LISTED, *FOREIGN])
    async def test_nothing_is_allowed(self, client: ApiClient, member: Person, origin: str) -> None:
        assert (await preflight(client, origin)).status_code == 405
        headers = {"Origin": origin} if origin else {"Sec-Fetch-Site": "cross-site"}
        answer = await client.call("POST", "/saved_snippets", member, json=SNIPPET, headers=headers)
        assert_error(answer, "CROSS_SITE_REQUEST", 403)
        assert not [name for name in answer.headers if name.startswith("access-control")]
