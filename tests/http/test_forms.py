"""The parameter reader: query, urlencoded and multipart, alike on every method."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
from typing_extensions import TypedDict

from chatapi.auth.guards import Anybody, LoggedIn, MaybeAnonymous
from chatapi.core.settings import Settings
from chatapi.http.route import FeatureRouter
from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Params
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success

# Forms are read before any database statement.
pytestmark = pytest.mark.any_database

URLENCODED = {"Content-Type": "application/x-www-form-urlencoded"}


class EchoParams(Params):
    text: str = "unset"
    number: int = 0


class FileParams(Params):
    file: UploadedFile


class EchoPayload(TypedDict):
    text: str
    number: int


router = FeatureRouter("Tests")


async def echo(ctx: LoggedIn, params: EchoParams) -> EchoPayload:
    """Say what was understood."""
    return {"text": params.text, "number": params.number}


for method in (router.get, router.post, router.patch, router.delete):
    method("/test/echo")(echo)


@router.post("/test/anybody")
async def echo_anybody(ctx: Anybody, params: EchoParams) -> EchoPayload:
    """Say what was understood, without a login."""
    return {"text": params.text, "number": params.number}


@router.post("/test/visitor")
async def echo_visitor(ctx: MaybeAnonymous, params: EchoParams) -> EchoPayload:
    """Say what was understood, with or without a login."""
    return {"text": params.text, "number": params.number}


@router.post("/test/file")
async def read_size(ctx: MaybeAnonymous, params: FileParams) -> EchoPayload:
    """Say how large a file is."""
    return {"text": params.file.name, "number": params.file.size}


@router.get("/test/letters/{letter}")
async def read_letter(ctx: LoggedIn, letter: str) -> EchoPayload:
    """Say what the path holds."""
    return {"text": letter, "number": 0}


@pytest.fixture
def extra_routes() -> tuple[FeatureRouter, ...]:
    return (router,)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"max_body_bytes": 100_000})


@pytest.fixture
def client(client: ApiClient, member: Person) -> ApiClient:
    """Logged in, so that bodies may be as large as the settings say."""
    credentials = base64.b64encode(f"{member.email}:{member.api_key}".encode()).decode()
    client.http.headers["Authorization"] = f"Basic {credentials}"
    return client


EVERY_METHOD = pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
METHODS_WITH_BODY = pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])


async def send(client: ApiClient, method: str, **request: Any) -> ApiResponse:
    return await client.call(method, "/test/echo", **request)


class TestPlaces:
    @EVERY_METHOD
    async def test_query(self, client: ApiClient, method: str) -> None:
        response = await send(client, method, params={"text": "ä b", "number": "5"})
        assert assert_success(response) == {"text": "ä b", "number": 5}

    @METHODS_WITH_BODY
    async def test_urlencoded_body(self, client: ApiClient, method: str) -> None:
        response = await send(client, method, data={"text": "a&b=c+d", "number": "5"})
        assert assert_success(response) == {"text": "a&b=c+d", "number": 5}

    @METHODS_WITH_BODY
    async def test_multipart_body(self, client: ApiClient, method: str) -> None:
        files = {"text": (None, "ä\r\nb"), "number": (None, "5")}
        response = await send(client, method, files=files)
        assert assert_success(response) == {"text": "ä\r\nb", "number": 5}

    @METHODS_WITH_BODY
    async def test_body_takes_precedence_over_query(self, client: ApiClient, method: str) -> None:
        request = {"params": {"text": "query", "number": "5"}, "data": {"text": "body"}}
        response = await send(client, method, **request)
        assert assert_success(response) == {"text": "body", "number": 5}

    async def test_a_body_without_a_content_type_is_urlencoded(self, client: ApiClient) -> None:
        response = await send(client, "POST", content=b"text=x")
        assert response["text"] == "x"

    @pytest.mark.parametrize("place", ["data", "files"])
    async def test_form_in_the_body_of_a_get_is_reported_as_ignored(
        self, client: ApiClient, place: str
    ) -> None:
        form = {"text": "body", "other": "x"}
        body = form if place == "data" else {name: (None, form[name]) for name in form}
        response = await send(client, "GET", params={"number": "5"}, **{place: body})
        assert assert_success(response) == {
            "text": "unset",
            "number": 5,
            "ignored_parameters_unsupported": ["other", "text"],
        }

    async def test_parameter_of_a_get_that_came_in_both_places_is_not_reported(
        self, client: ApiClient
    ) -> None:
        response = await send(client, "GET", params={"text": "query"}, data={"text": "body"})
        assert assert_success(response) == {"text": "query", "number": 0}

    async def test_no_parameters_at_all(self, client: ApiClient) -> None:
        assert assert_success(await send(client, "POST")) == {"text": "unset", "number": 0}


class TestValues:
    @EVERY_METHOD
    async def test_empty_strings_are_kept(self, client: ApiClient, method: str) -> None:
        assert (await send(client, method, params={"text": ""}))["text"] == ""

    @pytest.mark.parametrize("form", ["data", "files"])
    async def test_empty_strings_in_bodies_are_kept(self, client: ApiClient, form: str) -> None:
        value = "" if form == "data" else (None, "")
        assert (await send(client, "POST", **{form: {"text": value}}))["text"] == ""

    async def test_the_last_of_equal_names_counts(self, client: ApiClient) -> None:
        response = await send(client, "POST", content=b"text=a&text=b", headers=URLENCODED)
        assert response["text"] == "b"

    async def test_a_name_without_a_value_is_empty(self, client: ApiClient) -> None:
        response = await send(client, "POST", content=b"text", headers=URLENCODED)
        assert response["text"] == ""

    @pytest.mark.parametrize(
        ("encoded", "meant"),
        [
            ("a+b%20c", "a b c"),
            ("1%2B1%3d2%26", "1+1=2&"),
            ("a=b", "a=b"),
            ("100%", "100%"),
            ("%zz%4", "%zz%4"),
            ("%C3%A9é", "éé"),
            ("%2541", "%41"),
        ],
    )
    async def test_escapes(self, client: ApiClient, encoded: str, meant: str) -> None:
        """Invalid escapes stay as they are."""
        body = f"number=1&text={encoded}&&".encode()
        response = await client.call("POST", "/test/echo", content=body, headers=URLENCODED)
        assert assert_success(response) == {"text": meant, "number": 1}

    async def test_semicolons_separate_nothing(self, client: ApiClient) -> None:
        response = await send(client, "POST", content=b"text=a;number=1", headers=URLENCODED)
        assert assert_success(response) == {"text": "a;number=1", "number": 0}

    async def test_unknown_names_are_listed_on_success(self, client: ApiClient) -> None:
        response = await send(client, "POST", data={"zebra": "1", "apple": "2"})
        assert response["ignored_parameters_unsupported"] == ["apple", "zebra"]

    async def test_unknown_names_are_not_listed_with_an_error(self, client: ApiClient) -> None:
        response = await send(client, "POST", data={"zebra": "1", "number": "x"})
        assert assert_error(response) == 'Argument "number" is not valid JSON.'
        assert "ignored_parameters_unsupported" not in response.body


class TestRefusals:
    @pytest.mark.parametrize(
        "body", [b"text=%ff", b"text=\xff", b"%ff=1", b"text=%ed%a0%80"], ids=repr
    )
    async def test_bytes_that_are_not_utf_8(self, client: ApiClient, body: bytes) -> None:
        response = await send(client, "POST", content=body, headers=URLENCODED)
        assert assert_error(response) == "The request body is not valid UTF-8"

    async def test_query_that_is_not_utf_8(self, client: ApiClient) -> None:
        response = client.read(await client.http.get("/api/v1/test/echo?text=%ff"))
        assert assert_error(response) == "The query string is not valid UTF-8"

    @pytest.mark.parametrize("part", [b"a=1&", b"&", b"a&"])
    async def test_too_many_fields(self, client: ApiClient, part: bytes) -> None:
        response = await send(client, "POST", content=part * 1100, headers=URLENCODED)
        assert assert_error(response) == "The request body has more than 1000 parameters"

    async def test_many_semicolons_are_one_field(self, client: ApiClient) -> None:
        response = await send(client, "POST", content=b"a;" * 40_000, headers=URLENCODED)
        assert_success(response)

    @pytest.mark.parametrize(
        "content_type", ["text/json", "text/plain", "application/octet-stream"]
    )
    async def test_other_content_types(self, client: ApiClient, content_type: str) -> None:
        headers = {"Content-Type": content_type}
        response = await send(client, "POST", content=b'{"text": "x"}', headers=headers)
        message = assert_error(response)
        assert content_type in message
        assert "application/json, application/x-www-form-urlencoded" in message

    @pytest.mark.parametrize(
        ("content_type", "body"),
        [
            ("multipart/form-data", b"x"),
            ("multipart/form-data; boundary=b", b"x"),
            ("multipart/form-data; boundary=b", b"--b\r\nnonsense"),
            ("multipart/form-data; boundary=b", b"--b\r\n\r\nvalue\r\n--b--\r\n"),
            ("multipart/form-data; boundary=" + "b" * 5000, b"x"),
        ],
    )
    async def test_broken_multipart(
        self, client: ApiClient, content_type: str, body: bytes
    ) -> None:
        headers = {"Content-Type": content_type}
        response = await send(client, "POST", content=body, headers=headers)
        assert "multipart/form-data" in assert_error(response)

    async def test_multipart_that_is_not_utf_8(self, client: ApiClient) -> None:
        response = await send(client, "POST", files={"text": (None, b"\xff")})
        assert assert_error(response) == "The request body is not valid UTF-8"

    @pytest.mark.parametrize(
        ("name", "understood"), [("text", "+2AA-"), ("+2AA-", None)], ids=["value", "name"]
    )
    async def test_charset_that_can_encode_surrogates(
        self, client: ApiClient, name: str, understood: str | None
    ) -> None:
        headers = {"Content-Type": "multipart/form-data; boundary=b; charset=utf-7"}
        part = f'Content-Disposition: form-data; name="{name}"\r\n\r\n+2AA-'
        content = f"--b\r\n{part}\r\n--b--\r\n".encode()
        response = await send(client, "POST", content=content, headers=headers)
        assert response.body.get("text") == understood
        assert response.status in {200, 400}

    async def test_multipart_with_too_many_fields(self, client: ApiClient) -> None:
        files = {f"n{number}": (None, "") for number in range(1100)}
        assert_error(await send(client, "POST", files=files))

    async def test_nul_in_the_path(self, client: ApiClient) -> None:
        response = await client.get("/test/letters/a%00b")
        assert assert_error(response) == "letter must not contain NUL characters"


class TestSize:
    async def test_content_length_too_large(self, client: ApiClient) -> None:
        response = await send(client, "POST", content=b"x" * 100_001)
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=100_000)

    async def test_too_large_without_content_length(self, client: ApiClient) -> None:
        sent = 0

        async def chunks() -> AsyncIterator[bytes]:
            nonlocal sent
            for _ in range(1000):
                sent += 1
                yield b"x" * 1000

        response = await send(client, "POST", content=chunks())
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=100_000)
        assert sent < 200

    async def test_exactly_as_large_as_allowed(self, client: ApiClient) -> None:
        response = await send(client, "POST", content=b"text=" + b"x" * 99_995)
        assert len(response["text"]) == 99_995

    @pytest.mark.parametrize("announced", ["x", "-1", "²"])
    async def test_content_length_that_is_no_number(
        self, client: ApiClient, announced: str
    ) -> None:
        headers = {"Content-Length": announced.encode("latin-1")}
        assert_success(await send(client, "POST", content=b"text=x", headers=headers))


class TestSizeWithoutCredentials:
    """Requests without credentials are limited to small sizes, whatever users may send."""

    LARGE = b"text=" + b"x" * 16_380
    SMALL = b"text=" + b"x" * 16_379

    @pytest.fixture
    def stranger(self, client: ApiClient) -> ApiClient:
        del client.http.headers["Authorization"]
        return client

    @pytest.mark.parametrize("path", ["/test/anybody", "/test/visitor"])
    async def test_large_body_is_refused(self, stranger: ApiClient, path: str) -> None:
        assert_success(await stranger.call("POST", path, content=self.SMALL))
        response = await stranger.call("POST", path, content=self.LARGE)
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=16_384)

    async def test_large_query_is_refused(self, stranger: ApiClient) -> None:
        response = await stranger.call("POST", "/test/anybody", params={"text": "x" * 16_380})
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=16_384)

    async def test_large_file_is_refused(self, stranger: ApiClient) -> None:
        small = await stranger.call("POST", "/test/file", files={"file": ("a.txt", b"x" * 16_000)})
        assert assert_success(small)["number"] == 16_000
        large = await stranger.call("POST", "/test/file", files={"file": ("a.txt", b"x" * 99_000)})
        assert_error(large, "REQUEST_TOO_LARGE", 413, max_bytes=16_384)

    async def test_ignored_credentials_do_not_raise_the_limit(self, client: ApiClient) -> None:
        response = await client.call("POST", "/test/anybody", content=self.LARGE)
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=16_384)

    async def test_visitor_with_credentials_may_send_more(self, client: ApiClient) -> None:
        assert_success(await client.call("POST", "/test/visitor", content=self.LARGE))

    @pytest.mark.parametrize("path", ["/test/echo", "/test/visitor", "/test/file"])
    async def test_body_is_not_read_before_credentials_are_checked(
        self, client: ApiClient, path: str
    ) -> None:
        was_read = False

        async def body() -> AsyncIterator[bytes]:
            nonlocal was_read
            was_read = True
            yield b"text=x"

        client.http.headers["Authorization"] = "Basic bm9ib2R5Ondyb25n"
        assert_error(await client.call("POST", path, content=body()), "UNAUTHORIZED", 401)
        assert not was_read
