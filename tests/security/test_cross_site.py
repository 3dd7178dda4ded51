"""Pages of other sites cannot use the credentials stored in a browser."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.settings import Settings
from tests.factories import MakeUser, Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success

# Other sites are refused before any database statement.
pytestmark = pytest.mark.any_database

FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:8000"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost@evil.example"},
    {"Origin": "http://[evil"},
    {"Origin": "http://localhost:99999999"},
    {"Origin": "file://"},
    {"Origin": "localhost"},
]
OWN = [
    {},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "https://localhost"},
    {"Origin": "http://localhost:80"},
    {"Origin": "http://LOCALHOST"},
]


async def add_snippet(client: ApiClient, person: Person, headers: dict[str, str]) -> ApiResponse:
    values = {"title": "Hello", "content": "Hello"}
    return await client.call("POST", "/saved_snippets", person, data=values, headers=headers)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_request_of_another_site_changes_nothing(
    client: ApiClient, member: Person, headers: dict[str, str]
) -> None:
    answer = await add_snippet(client, member, headers)
    assert_error(answer, "CROSS_SITE_REQUEST", 403)
    assert (await client.get("/saved_snippets", member))["saved_snippets"] == []


@pytest.mark.parametrize("headers", OWN, ids=str)
async def test_request_of_a_program_or_of_our_own_page_is_served(
    client: ApiClient, member: Person, headers: dict[str, str]
) -> None:
    assert_success(await add_snippet(client, member, headers))


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_other_methods_are_refused_as_well(
    client: ApiClient, member: Person, method: str
) -> None:
    headers = {"Origin": "null"}
    answer = await client.call(method, "/saved_snippets/1", member, headers=headers)
    assert_error(answer, "CROSS_SITE_REQUEST", 403)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_json_body_of_another_site_changes_nothing(
    client: ApiClient, member: Person, headers: dict[str, str]
) -> None:
    values = {"title": "Hello", "content": "Hello"}
    answer = await client.call("POST", "/saved_snippets", member, json=values, headers=headers)
    assert_error(answer, "CROSS_SITE_REQUEST", 403)
    assert (await client.get("/saved_snippets", member))["saved_snippets"] == []


async def test_reading_is_left_to_the_browser_to_allow(client: ApiClient, member: Person) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    answer = await client.call("GET", "/users/me", member, headers=headers)
    assert_success(answer)
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_login_form_of_another_site_is_refused(
    client: ApiClient, realm: RealmRecord, make_user: MakeUser
) -> None:
    person = await make_user(password="correct horse")
    values = {"username": person.email, "password": "correct horse"}
    headers = {"Origin": "https://evil.example"}
    answer = await client.call("POST", "/fetch_api_key", data=values, headers=headers)
    assert_error(answer, "CROSS_SITE_REQUEST", 403)


class TestPublicUrl:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"public_url": "https://chat.example.com:8443"})

    async def test_page_of_the_public_address_is_our_own(
        self, client: ApiClient, member: Person
    ) -> None:
        headers = {"Origin": "https://chat.example.com:8443"}
        assert_success(await add_snippet(client, member, headers))

    @pytest.mark.parametrize(
        "origin",
        ["http://chat.example.com:8443", "https://chat.example.com", "https://example.com"],
    )
    async def test_similar_address_is_another_site(
        self, client: ApiClient, member: Person, origin: str
    ) -> None:
        answer = await add_snippet(client, member, {"Origin": origin})
        assert_error(answer, "CROSS_SITE_REQUEST", 403)


class TestHosts:
    """The Host header is repeated in responses: only valid host names are accepted."""

    @pytest.mark.parametrize(
        "host",
        [
            "user@evil.example",
            "evil.example/path",
            "a b",
            '"evil"',
            "<script>",
            "evil.example?x",
            "evil.example#x",
            "a,b",
            "ä.example",
            "[evil.example]",
            "a:port",
            "a:123456",
            "a" * 300,
        ],
    )
    async def test_invalid_host_name_is_refused(
        self, client: ApiClient, realm: RealmRecord, host: str
    ) -> None:
        headers = {b"Host": host.encode("latin-1")}
        response = await client.http.get("/api/v1/server_settings", headers=headers)
        assert response.status_code == 400
        assert "Host" in response.json()["msg"]
        assert host not in response.text

    @pytest.mark.parametrize(
        "host", ["chat.example.com", "localhost:8000", "127.0.0.1", "[::1]:8000", "my_host", "A.b"]
    )
    async def test_single_realm_is_served_at_every_host_name(
        self, client: ApiClient, realm: RealmRecord, host: str
    ) -> None:
        response = await client.http.get("/api/v1/server_settings", headers={"Host": host})
        assert response.status_code == 200
        assert response.json()["realm_url"] == f"http://{host}"

    async def test_two_host_headers_are_refused(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        headers = [("Host", "localhost"), ("Host", "evil.example")]
        response = await client.http.get("/api/v1/server_settings", headers=headers)
        assert response.status_code == 400
