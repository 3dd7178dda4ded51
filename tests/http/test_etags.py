"""A client that still has a response gets 304; a changed one, or another reader's, in full."""

from collections.abc import AsyncIterator, Mapping

import httpx
import orjson
import pytest

from chatapi.core.ids import UserId
from chatapi.http.etags import etag_of, is_listed
from chatapi.main import ChatApp
from chatapi.wire.encoded import LargeJson
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.client import ApiClient, basic_auth
from tests.support.documented_responses import service_document
from tests.support.live_server import live_server
from tests.support.responses import assert_success
from tests.support.routes import ROUTES
from tests.support.waiting import MAX_WAIT_SECONDS

READS = ("/api/v1/users", "/api/v1/streams", "/api/v1/realm/emoji")
PUBLIC = "/openapi.json"

any_database = pytest.mark.any_database


@pytest.fixture
async def http(app: ChatApp) -> AsyncIterator[httpx.AsyncClient]:
    """A connection to a real server, which would fail if a body came after a 304."""
    async with (
        live_server(app) as address,
        httpx.AsyncClient(base_url=address, timeout=MAX_WAIT_SECONDS) as http,
    ):
        yield http


async def get(
    http: httpx.AsyncClient,
    path: str,
    person: Person | None,
    etag: str | None = None,
    method: str = "GET",
    **headers: str,
) -> httpx.Response:
    condition: Mapping[str, str] = {} if etag is None else {"If-None-Match": etag}
    return await http.request(
        method, path, auth=basic_auth(person), headers={**condition, **headers}
    )


def test_exactly_these_reads_have_one() -> None:
    declared = {route.path_format for route in ROUTES if route.operation.revalidates}
    assert declared == {*READS, "/api/v1/users/query"}


@pytest.mark.parametrize("path", READS)
def test_document_declares_it(path: str) -> None:
    operation = service_document()["paths"][path]["get"]
    names = [each["name"] for each in operation["parameters"] if each["in"] == "header"]
    assert names == ["If-None-Match"]
    for status in ("200", "304"):
        assert "ETag" in operation["responses"][status]["headers"]
    assert "content" not in operation["responses"]["304"]


class TestComparing:
    @pytest.mark.parametrize(
        "header",
        [
            'W/"abc"',
            '"abc"',
            "*",
            " * ",
            '"x", W/"abc"',
            'W/"abc","x"',
            '"a,b", "abc"',
            '"", "abc"',
        ],
    )
    def test_header_names_the_tag(self, header: str) -> None:
        assert is_listed('W/"abc"', header)

    @pytest.mark.parametrize(
        "header",
        [
            "",
            "abc",
            '"abcd"',
            '"ABC"',
            '"x,abc"',
            'W/"',
            '"*"',
            '*, "x"',
            '"abc',
            ",",
            'W/"x"abc"y"',
        ],
    )
    def test_header_does_not_name_the_tag(self, header: str) -> None:
        assert not is_listed('W/"abc"', header)

    async def test_same_bytes_in_other_chunks_have_the_same_tag(self) -> None:
        ann, ben = UserId(1), UserId(2)
        whole = await etag_of(ann, [b"some content"])
        assert await etag_of(ann, [b"some ", b"", b"content"]) == whole
        assert await etag_of(ben, [b"some content"]) != whole
        assert await etag_of(None, [b"some content"]) != whole
        assert await etag_of(ann, [b"some contents"]) != whole

    async def test_large_json_in_a_response_counts_as_a_whole(self) -> None:
        ann = UserId(1)
        users = orjson.dumps(["Ann"] * LargeJson.MIN_BYTES)
        tag = await etag_of(ann, [b"{", LargeJson(users), b"}"])
        assert await etag_of(ann, [b"{", LargeJson(users), b"}"]) == tag
        for others in (users[:-3] + b'b"]', users + b" "):
            assert await etag_of(ann, [b"{", LargeJson(others), b"}"]) != tag
        assert await etag_of(ann, [b"[", LargeJson(users), b"]"]) != tag


@any_database
class TestNotModified:
    @pytest.mark.parametrize("path", [*READS, PUBLIC])
    async def test_client_that_has_the_content_gets_no_body(
        self, http: httpx.AsyncClient, owner: Person, path: str
    ) -> None:
        first = await get(http, path, owner)
        etag = first.headers["etag"]
        assert first.status_code == 200
        for condition in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
            again = await get(http, path, owner, condition)
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == etag
            for name in ("cache-control", "vary"):
                assert again.headers[name] == first.headers[name]
            assert again.headers["x-request-id"]
            assert not {"content-type", "content-length", "content-encoding"} & set(again.headers)
        other = await get(http, path, owner, 'W/"other"')
        assert (other.status_code, other.content) == (200, first.content)

    @pytest.mark.parametrize("path", [*READS, PUBLIC])
    async def test_head_has_the_same_tag(
        self, http: httpx.AsyncClient, owner: Person, path: str
    ) -> None:
        etag = (await get(http, path, owner)).headers["etag"]
        head = await get(http, path, owner, method="HEAD")
        assert (head.status_code, head.headers["etag"]) == (200, etag)
        assert (await get(http, path, owner, etag, method="HEAD")).status_code == 304

    async def test_tag_does_not_depend_on_compression(
        self, http: httpx.AsyncClient, owner: Person
    ) -> None:
        tags = {
            (await get(http, PUBLIC, owner, **{"Accept-Encoding": coding})).headers["etag"]
            for coding in ("identity", "gzip")
        }
        assert len(tags) == 1

    async def test_names_of_emoji_have_one(self, http: httpx.AsyncClient, owner: Person) -> None:
        settings = (await get(http, "/api/v1/register", owner, method="POST")).json()
        path = httpx.URL(settings["server_emoji_data_url"]).path
        first = await get(http, path, None)
        assert first.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert first.headers["content-encoding"] == "gzip"
        assert (await get(http, path, None, first.headers["etag"])).status_code == 304

    async def test_errors_and_bodies_of_post_have_none(
        self, http: httpx.AsyncClient, owner: Person
    ) -> None:
        refused = await get(http, "/api/v1/streams", None, "*")
        assert refused.status_code == 401
        posted = await get(http, "/api/v1/users/query", owner, "*", method="POST")
        assert posted.status_code == 200
        for response in (refused, posted):
            assert "etag" not in response.headers
            assert response.headers["cache-control"] == "no-store, private"

    async def test_other_parameters_are_other_content(
        self, http: httpx.AsyncClient, owner: Person
    ) -> None:
        etag = (await get(http, "/api/v1/users", owner)).headers["etag"]
        path = "/api/v1/users?include_custom_profile_fields=true"
        assert (await get(http, path, owner, etag)).status_code == 200


@pytest.mark.any_database
class TestChanges:
    """On both databases: what a reader sees comes from statements."""

    @pytest.mark.parametrize("large_bytes", [LargeJson.MIN_BYTES, 1], ids=["small", "large"])
    async def test_change_of_a_user_changes_the_tag_and_undoing_it_restores_it(
        self,
        http: httpx.AsyncClient,
        client: ApiClient,
        owner: Person,
        make_user: MakeUser,
        monkeypatch: pytest.MonkeyPatch,
        large_bytes: int,
    ) -> None:
        monkeypatch.setattr(LargeJson, "MIN_BYTES", large_bytes)
        ann = await make_user(full_name="Ann")
        before = (await get(http, "/api/v1/users", owner)).headers["etag"]
        for name, status in (("Anne", 200), ("Ann", 304)):
            change = await client.patch(f"/users/{ann.user_id}", owner, full_name=name)
            assert_success(change)
            assert (await get(http, "/api/v1/users", owner, before)).status_code == status

    async def test_message_does_not_change_the_tag_of_users(
        self, http: httpx.AsyncClient, client: ApiClient, owner: Person
    ) -> None:
        before = (await get(http, "/api/v1/users", owner)).headers["etag"]
        message = {"type": "direct", "to": [owner.user_id], "content": "Hello"}
        assert_success(await client.post("/messages", owner, **message))
        assert (await get(http, "/api/v1/users", owner, before)).status_code == 304

    @pytest.mark.parametrize("path", READS)
    async def test_tag_of_one_reader_is_worthless_to_another(
        self, http: httpx.AsyncClient, owner: Person, make_user: MakeUser, path: str
    ) -> None:
        ann, ben = await make_user(), await make_user()
        etag = (await get(http, path, ann)).headers["etag"]
        assert (await get(http, path, ann, etag)).status_code == 304
        assert (await get(http, path, ben, etag)).status_code == 200

    async def test_channel_that_becomes_visible_changes_the_tag(
        self,
        http: httpx.AsyncClient,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("plans", subscribers=[owner], invite_only=True)
        before = await get(http, "/api/v1/streams", member)
        invited = {"subscriptions": [{"name": channel.name}], "principals": [member.user_id]}
        assert_success(await client.post("/users/me/subscriptions", owner, **invited))
        after = await get(http, "/api/v1/streams", member, before.headers["etag"])
        assert after.status_code == 200
        assert len(after.json()["streams"]) == len(before.json()["streams"]) + 1
