"""JSON bodies: the same parameters, limits and errors as forms, with natural values."""

import base64
from collections.abc import AsyncIterator
from typing import Annotated, Any

import orjson
import pytest
from typing_extensions import TypedDict

from chatapi.auth.guards import Anybody, LoggedIn, MaybeAnonymous
from chatapi.core.settings import Settings
from chatapi.http.route import FeatureRouter
from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Alias, JsonOrString, Params, WireModel
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success

# Bodies are read before any database statement.
pytestmark = pytest.mark.any_database

JSON = {"Content-Type": "application/json"}


class Pet(WireModel):
    name: str
    age: int = 0


class EchoParams(Params):
    text: Annotated[str, Alias("subject")] = "unset"
    nickname: str | None = None
    number: int = 0
    limit: int | None = 5
    tags: list[str] | None = None
    pet: Pet | None = None
    to: Annotated[str | int | list[int], JsonOrString()] = ""
    anything: Any = None


class FileParams(Params):
    name: str = ""
    file: UploadedFile | None = None


class EchoPayload(TypedDict):
    sent: dict[str, object]


router = FeatureRouter("Tests")


def described(params: Params) -> EchoPayload:
    return {"sent": params.model_dump(include=params.model_fields_set)}


async def echo(ctx: LoggedIn, params: EchoParams) -> EchoPayload:
    """Say what was sent."""
    return described(params)


for method in (router.get, router.post, router.patch, router.put, router.delete):
    method("/test/echo")(echo)


@router.post("/test/anybody")
async def echo_anybody(ctx: Anybody, params: EchoParams) -> EchoPayload:
    """Say what was sent, without a login."""
    return described(params)


@router.post("/test/visitor")
async def echo_visitor(ctx: MaybeAnonymous, params: EchoParams) -> EchoPayload:
    """Say what was sent, with or without a login."""
    return described(params)


@router.post("/test/file")
async def echo_name(ctx: LoggedIn, params: FileParams) -> EchoPayload:
    """Say what was sent beside a file."""
    return {"sent": {"name": params.name, "has_file": params.file is not None}}


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


async def send(
    client: ApiClient, body: object, method: str = "POST", path: str = "/test/echo", **request: Any
) -> ApiResponse:
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    return await client.call(method, path, content=content, headers=JSON, **request)


METHODS_WITH_BODY = pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])


class TestPlaces:
    @METHODS_WITH_BODY
    async def test_every_method_with_a_body_reads_json(
        self, client: ApiClient, method: str
    ) -> None:
        body = {"text": "ä", "number": 5, "tags": ["a"], "pet": {"name": "Rex"}}
        response = await send(client, body, method)
        assert assert_success(response)["sent"] == {**body, "pet": {"name": "Rex", "age": 0}}

    @METHODS_WITH_BODY
    async def test_body_takes_precedence_over_query(self, client: ApiClient, method: str) -> None:
        response = await send(
            client, {"text": "body"}, method, params={"text": "query", "number": "5"}
        )
        assert assert_success(response)["sent"] == {"text": "body", "number": 5}

    async def test_proper_name_in_body_wins_over_older_name_in_query(
        self, client: ApiClient
    ) -> None:
        response = await send(client, {"text": "body"}, params={"subject": "query"})
        assert assert_success(response) == {"sent": {"text": "body"}}

    @pytest.mark.parametrize("body", [b"", {}])
    async def test_empty_body_has_no_parameters(self, client: ApiClient, body: object) -> None:
        assert assert_success(await send(client, body)) == {"sent": {}}

    @pytest.mark.parametrize(
        "content_type",
        [
            "application/json; charset=utf-8",
            "Application/JSON",
            # RFC 8259 defines no such parameter: JSON is UTF-8, whatever it says.
            "application/json; charset=iso-8859-1",
        ],
    )
    async def test_parameters_of_the_content_type_are_ignored(
        self, client: ApiClient, content_type: str
    ) -> None:
        content = orjson.dumps({"text": "ä"})
        headers = {"Content-Type": content_type}
        response = await client.call("POST", "/test/echo", content=content, headers=headers)
        assert response["sent"] == {"text": "ä"}

    async def test_json_in_the_body_of_a_get_is_reported_as_ignored(
        self, client: ApiClient
    ) -> None:
        body = {"text": "body", "number": 1, "other": [1]}
        response = await send(client, body, "GET", params={"number": "5"})
        assert assert_success(response) == {
            "sent": {"number": 5},
            "ignored_parameters_unsupported": ["other", "text"],
        }

    async def test_endpoint_with_an_optional_file_reads_json(self, client: ApiClient) -> None:
        response = await send(client, {"name": "x", "file": "y"}, path="/test/file")
        assert assert_success(response) == {
            "sent": {"name": "x", "has_file": False},
            "ignored_parameters_unsupported": ["file"],
        }


class TestValues:
    @pytest.mark.parametrize(
        "body",
        [
            {"text": ""},
            {"text": "null"},
            {"text": '"quoted"'},
            {"number": -(2**63)},
            {"tags": []},
            {"limit": None},
            {"to": "general"},
            {"to": "[1, 2]"},
            {"to": "7"},
            {"to": 7},
            {"to": [1, 2]},
            {"anything": {"a": [1, None, 2.5, True]}},
        ],
        ids=str,
    )
    async def test_are_taken_as_they_are(self, client: ApiClient, body: dict[str, object]) -> None:
        assert assert_success(await send(client, body))["sent"] == body

    @pytest.mark.parametrize("name", ["text", "nickname", "number", "subject"])
    async def test_null_means_not_sent_unless_it_is_a_value(
        self, client: ApiClient, name: str
    ) -> None:
        assert assert_success(await send(client, {name: None}))["sent"] == {}

    async def test_last_of_equal_names_counts(self, client: ApiClient) -> None:
        assert (await send(client, b'{"text": "a", "text": "b"}'))["sent"] == {"text": "b"}

    async def test_unknown_names_are_listed_on_success(self, client: ApiClient) -> None:
        response = await send(client, {"zebra": {"a": 1}, "apple": "\0"})
        assert response["ignored_parameters_unsupported"] == ["apple", "zebra"]

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ({"text": 1}, "text is not a string"),
            ({"text": ["a"]}, "text is not a string"),
            ({"subject": 1}, "text is not a string"),
            ({"number": "7"}, "number is not an integer"),
            ({"number": 7.0}, "number is not an integer"),
            ({"number": True}, "number is not an integer"),
            ({"tags": '["a"]'}, "tags is not a list"),
            ({"tags": ["a", 1]}, "tags[1] is not a string"),
            ({"pet": '{"name": "Rex"}'}, "pet is not a dict"),
            ({"pet": {}}, "Missing 'pet[\"name\"]' argument"),
            ({"pet": {"name": "Rex", "legs": 4}}, 'pet["legs"] is not a known key'),
            ({"text": "a\0b"}, "text must not contain NUL characters"),
            ({"subject": "a\0b"}, "text must not contain NUL characters"),
            ({"tags": ["\0"]}, "tags must not contain NUL characters"),
            ({"anything": [{"\0": 1}]}, "anything must not contain NUL characters"),
        ],
        ids=str,
    )
    async def test_errors_name_the_parameter(
        self, client: ApiClient, body: object, message: str
    ) -> None:
        assert assert_error(await send(client, body)) == message

    @pytest.mark.parametrize("digits", [20, 300])
    async def test_huge_integer_is_no_integer(self, client: ApiClient, digits: int) -> None:
        response = await send(client, b'{"number": ' + b"9" * digits + b"}")
        assert assert_error(response) == "number is not an integer"

    async def test_letters_that_look_like_an_escape_are_no_nul(self, client: ApiClient) -> None:
        response = await send(client, b'{"text": "\\\\u0000", "nickname": "x"}')
        assert response["sent"] == {"text": "\\u0000", "nickname": "x"}


class TestRefusals:
    @pytest.mark.parametrize("body", [b"[]", b"null", b'"text=x"', b"1", b'[{"text": "x"}]'])
    async def test_json_that_is_no_object(self, client: ApiClient, body: bytes) -> None:
        message = assert_error(await send(client, body))
        assert message == "The request body is not a JSON object with parameters"

    @pytest.mark.parametrize(
        ("body", "line"),
        [
            (b"text=x", 1),
            (b'{"text": "x"', 1),
            (b'{"text": "x",\n"number": x}', 2),
            (b'{"number": NaN}', 1),
            (b'{"number": -Infinity}', 1),
            (b'{"number": 1e400}', 1),
            (b'{"text": "\\ud800"}', 1),
            (b"{'text': 'x'}", 1),
            (b"\xef\xbb\xbf{}", 1),
        ],
        ids=repr,
    )
    async def test_broken_json_says_where(self, client: ApiClient, body: bytes, line: int) -> None:
        message = assert_error(await send(client, body))
        assert message.startswith("The request body is not valid JSON: ")
        assert f" at line {line} column " in message

    async def test_nul_byte_is_named(self, client: ApiClient) -> None:
        message = assert_error(await send(client, b'{"text": "a\0b"}'))
        assert message == "The request body must not contain NUL characters"

    @pytest.mark.parametrize("body", [b'{"text": "\xff"}', '{"text": "ä"}'.encode("utf-16")])
    async def test_bytes_that_are_not_utf_8(self, client: ApiClient, body: bytes) -> None:
        assert assert_error(await send(client, body)) == "The request body is not valid UTF-8"

    async def test_members_may_be_as_deep_as_in_a_form(self, client: ApiClient) -> None:
        deep, too_deep = (f"{'[' * depth}{']' * depth}" for depth in (100, 101))
        for body in (deep, too_deep):
            form = await client.call("POST", "/test/echo", data={"anything": body})
            json = await send(client, f'{{"anything": {body}}}'.encode())
            assert form.status == json.status == (200 if body is deep else 400)

    async def test_too_many_parameters(self, client: ApiClient) -> None:
        response = await send(client, dict.fromkeys(map(str, range(1_001)), 1))
        assert assert_error(response) == "The request body has more than 1000 parameters"

    async def test_broken_json_in_the_body_of_a_get(self, client: ApiClient) -> None:
        assert "not valid JSON" in assert_error(await send(client, b"{", "GET"))


class TestSize:
    async def test_too_large(self, client: ApiClient) -> None:
        response = await send(client, {"text": "x" * 100_000})
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=100_000)

    async def test_exactly_as_large_as_allowed(self, client: ApiClient) -> None:
        length = 100_000 - len(orjson.dumps({"text": ""}))
        response = await send(client, {"text": "x" * length})
        assert len(response["sent"]["text"]) == length

    @pytest.mark.parametrize("path", ["/test/anybody", "/test/visitor"])
    async def test_16_kib_without_credentials(self, client: ApiClient, path: str) -> None:
        del client.http.headers["Authorization"]
        length = 16_384 - len(orjson.dumps({"text": ""}))
        assert_success(await send(client, {"text": "x" * length}, path=path))
        response = await send(client, {"text": "x" * (length + 1)}, path=path)
        assert_error(response, "REQUEST_TOO_LARGE", 413, max_bytes=16_384)

    async def test_body_is_not_read_before_credentials_are_checked(self, client: ApiClient) -> None:
        was_read = False

        async def body() -> AsyncIterator[bytes]:
            nonlocal was_read
            was_read = True
            yield b"{}"

        client.http.headers["Authorization"] = "Basic bm9ib2R5Ondyb25n"
        response = await client.call("POST", "/test/echo", content=body(), headers=JSON)
        assert_error(response, "UNAUTHORIZED", 401)
        assert not was_read


class TestTooManyValues:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"max_body_bytes": 1_000_000})

    async def test_are_refused_before_they_are_parsed(self, client: ApiClient) -> None:
        response = await send(client, {"anything": [0] * 130_000})
        assert assert_error(response) == "The request body has too many entries"

    async def test_separators_inside_texts_are_no_values(self, client: ApiClient) -> None:
        assert_success(await send(client, {"text": "," * 130_000}))
