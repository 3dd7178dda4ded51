"""The OpenAPI document, as far as a small feature of the test's own can show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import Field
from typing_extensions import TypedDict

from chatapi.auth.guards import Admin, Anybody, LoggedIn, MaybeAnonymous
from chatapi.core.errors import ApiError
from chatapi.http.openapi import build_document
from chatapi.http.responses import EventStream
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.files import UploadedFile
from chatapi.wire.params import Alias, JsonOrString, Params, WireModel
from chatapi.wire.types import DEPRECATED, Id


class Color(WireModel):
    """An object inside a parameter."""

    red: int
    name: str = ""


class PaintParams(Params):
    """Speaks to those who read the code."""

    title: Annotated[str, Alias("subject"), Field(max_length=60, description="Its name.")]
    color: Color
    layers: list[int] | None = None
    to: Annotated[int | list[str], JsonOrString(), Field(examples=[7])]
    mode: Literal["oil", "ink"] = "oil"
    is_dry: bool | None = None
    frame: str | None = None
    """What is around it."""


class FindParams(Params):
    """Parameters of a query."""

    text: str
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    ids: list[Id] | None = None
    size: int | Literal["any"] | None = None


class BareParams(Params):
    """Parameters of a query that are all short."""

    size: int = 0


class PicturePayload(TypedDict):
    """A picture."""

    id: int
    owner: NotRequired[str | None]
    """Who has it."""


class PicturesPayload(TypedDict):
    """All pictures."""

    pictures: list[PicturePayload]


@dataclass(eq=False)
class OutOfPaintError(ApiError):
    """Nothing is left of a color."""

    code = "OUT_OF_PAINT"
    text = "There is no {color} left"
    color: str
    restock_seconds: float
    """When there will be more."""


router = FeatureRouter("Pictures", "Things to look at.")


@router.post("/pictures", responses=raises(OutOfPaintError))
async def paint(ctx: LoggedIn, params: PaintParams) -> PicturePayload:
    """Paint a picture.

    It takes its time.
    """
    raise NotImplementedError


@router.get("/pictures")
async def find_pictures(ctx: MaybeAnonymous, params: FindParams) -> PicturesPayload | EventStream:
    """Find pictures."""
    raise NotImplementedError


@router.delete("/pictures/{picture_id:int}")
async def burn(ctx: Admin, picture_id: Id) -> None:
    """Burn a picture."""
    raise NotImplementedError


@router.get("/pictures/{picture_id:int}/frames/{name}")
async def get_frame(ctx: Anybody, params: BareParams, picture_id: Id, name: str) -> PicturePayload:
    """Get a frame."""
    raise NotImplementedError


PICTURES = "/api/v1/pictures"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
FORM_OF_PARTS = "multipart/form-data"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return build_document([router])


def operation(document: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    described: dict[str, Any] = document["paths"][path][method]
    return described


def answer(document: dict[str, Any], method: str, path: str, status: str) -> dict[str, Any]:
    described: dict[str, Any] = operation(document, method, path)["responses"][status]
    if "$ref" in described:
        return dict(document["components"]["responses"][described["$ref"].rpartition("/")[2]])
    return described


def answer_schema(document: dict[str, Any], method: str, path: str, status: str) -> dict[str, Any]:
    (name,) = names([answer(document, method, path, status)["content"][JSON]["schema"]])
    return component(document, name)


def component(document: dict[str, Any], name: str) -> dict[str, Any]:
    schema: dict[str, Any] = document["components"]["schemas"][name]
    return schema


def names(schemas: Sequence[dict[str, str]]) -> set[str]:
    return {schema["$ref"].rpartition("/")[2] for schema in schemas}


class TestDocument:
    def test_is_the_same_every_time(self, document: dict[str, Any]) -> None:
        assert build_document([router]) == document

    def test_tags_features_in_their_order(self, document: dict[str, Any]) -> None:
        frames = FeatureRouter("Frames", "What is around pictures.")

        @frames.get("/frames")
        async def get_frames(ctx: Anybody) -> None:
            raise NotImplementedError

        assert build_document([frames, FeatureRouter("Without endpoints"), router])["tags"] == [
            {"name": "Frames", "description": "What is around pictures."},
            {"name": "Pictures", "description": "Things to look at."},
        ]

    def test_paths_are_complete_addresses(self, document: dict[str, Any]) -> None:
        assert document["servers"] == [{"url": "/"}]
        assert list(document["paths"]) == [
            PICTURES,
            f"{PICTURES}/query",
            f"{PICTURES}/{{picture_id}}",
            f"{PICTURES}/{{picture_id}}/frames/{{name}}",
        ]

    def test_components_hold_only_what_is_used(self, document: dict[str, Any]) -> None:
        schemas = document["components"]["schemas"]
        assert "BareParams" not in schemas
        assert {"PaintParams", "Color", "PicturePayload", "OutOfPaintError"} <= schemas.keys()

    def test_component_has_no_title_that_repeats_its_name(self, document: dict[str, Any]) -> None:
        assert not [each for each in document["components"]["schemas"].values() if "title" in each]

    def test_describes_responses_outside_all_endpoints(self, document: dict[str, Any]) -> None:
        unrouted = document["x-unrouted-responses"]
        codes = {
            status: response["content"]["application/json"]["schema"]["properties"]["code"]["const"]
            for status, response in unrouted.items()
        }
        assert codes == {"404": "NOT_FOUND", "405": "METHOD_NOT_ALLOWED"}

    def test_refuses_two_payloads_of_one_name(self) -> None:
        class OtherPicturePayload(TypedDict):
            """Not the same."""

            path: str

        OtherPicturePayload.__name__ = "PicturePayload"
        others = FeatureRouter("Others")

        @others.get("/others")
        async def get_other(ctx: Anybody) -> OtherPicturePayload:
            raise NotImplementedError

        with pytest.raises(TypeError, match="two schemas are called PictureResponse"):
            build_document([router, others])

    def test_refuses_a_payload_that_is_no_typed_dict(self) -> None:
        vague = FeatureRouter("Vague")

        @vague.get("/vague")
        async def get_vague(ctx: Anybody) -> dict[str, int]:
            raise NotImplementedError

        with pytest.raises(TypeError, match="get_vague must declare a TypedDict"):
            build_document([vague])


class TestOperation:
    def test_uses_the_docstring_of_the_endpoint(self, document: dict[str, Any]) -> None:
        described = operation(document, "post", PICTURES)
        assert described["operationId"] == "paint"
        assert described["tags"] == ["Pictures"]
        assert described["summary"] == "Paint a picture"
        assert described["description"] == "It takes its time."

    @pytest.mark.parametrize(
        ("method", "path", "security"),
        [
            ("post", PICTURES, [{"basic": []}]),
            ("get", PICTURES, [{}, {"basic": []}]),
            ("get", f"{PICTURES}/{{picture_id}}/frames/{{name}}", []),
        ],
    )
    def test_declares_whether_it_needs_credentials(
        self, document: dict[str, Any], method: str, path: str, security: list[Any]
    ) -> None:
        assert operation(document, method, path)["security"] == security

    def test_path_parameters_have_types_and_examples(self, document: dict[str, Any]) -> None:
        described = operation(document, "get", f"{PICTURES}/{{picture_id}}/frames/{{name}}")
        picture_id, name = described["parameters"][:2]
        assert picture_id["schema"]["type"] == "integer"
        assert picture_id["schema"]["format"] == "int64"
        assert picture_id["example"] == 1
        assert picture_id["required"] is True
        assert name["schema"] == {"type": "string"}


class TestHeaders:
    def test_post_of_a_user_takes_an_idempotency_key(self, document: dict[str, Any]) -> None:
        (header,) = operation(document, "post", PICTURES)["parameters"]
        assert (header["name"], header["in"], header["required"]) == (
            "Idempotency-Key",
            "header",
            False,
        )

    def test_other_requests_take_none(self, document: dict[str, Any]) -> None:
        for method, path in (("get", PICTURES), ("delete", f"{PICTURES}/{{picture_id}}")):
            parameters = operation(document, method, path)["parameters"]
            assert "header" not in {parameter["in"] for parameter in parameters}

    @pytest.mark.parametrize(
        ("status", "names"),
        [
            ("200", {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}),
            ("400", set()),
            ("401", {"WWW-Authenticate"}),
            (
                "429",
                {
                    "Retry-After",
                    "X-RateLimit-Limit",
                    "X-RateLimit-Remaining",
                    "X-RateLimit-Reset",
                },
            ),
            ("503", {"Retry-After"}),
        ],
    )
    def test_responses_declare_theirs(
        self, document: dict[str, Any], status: str, names: set[str]
    ) -> None:
        headers = answer(document, "post", PICTURES, status)["headers"]
        assert headers.keys() == {"X-Request-Id", *names}
        for name, reference in headers.items():
            assert reference == {"$ref": f"#/components/headers/{name}"}
            assert document["components"]["headers"][name]["description"]

    def test_unlimited_endpoint_has_no_rate_limit_headers(self) -> None:
        unlimited = FeatureRouter("Unlimited", is_limited=False)

        @unlimited.get("/unlimited")
        async def get_unlimited(ctx: Anybody) -> None:
            raise NotImplementedError

        headers = answer(build_document([unlimited]), "get", "/api/v1/unlimited", "200")["headers"]
        assert headers.keys() == {"X-Request-Id"}


class TestDeprecated:
    def test_operations_parameters_and_keys_are_marked(self) -> None:
        class OldParams(Params):
            size: Annotated[int | None, DEPRECATED] = None

        class OldPayload(TypedDict):
            """Kept for existing clients."""

            weight: Annotated[int, DEPRECATED]

        old = FeatureRouter("Old")

        @old.post("/old", deprecated=True)
        async def use_old(ctx: Anybody, params: OldParams) -> OldPayload:
            raise NotImplementedError

        document = build_document([old])
        assert operation(document, "post", "/api/v1/old")["deprecated"] is True
        assert component(document, "OldParams")["properties"]["size"]["deprecated"] is True
        assert component(document, "OldResponse")["properties"]["weight"]["deprecated"] is True

    def test_nothing_else_is_marked(self, document: dict[str, Any]) -> None:
        assert "deprecated" not in str(document)


class TestForm:
    @pytest.fixture
    def body(self, document: dict[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = operation(document, "post", PICTURES)["requestBody"]
        return body

    @pytest.fixture
    def fields(self, document: dict[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = component(document, "PaintParams")["properties"]
        return fields

    def test_json_is_declared_before_the_urlencoded_form(self, body: dict[str, Any]) -> None:
        assert list(body["content"]) == [JSON, FORM]

    def test_json_and_form_share_one_schema(self, body: dict[str, Any]) -> None:
        for media in body["content"].values():
            assert media["schema"] == {"$ref": "#/components/schemas/PaintParams"}

    def test_json_needs_no_encoding_and_shows_what_is_required(self, body: dict[str, Any]) -> None:
        assert "encoding" not in body["content"][JSON]
        example = {"title": "title", "color": {"red": 1}, "to": 7}
        assert body["content"][JSON]["example"] == example

    def test_everything_but_text_is_json(self, body: dict[str, Any]) -> None:
        encoding = body["content"][FORM]["encoding"]
        assert encoding.keys() == {"color", "layers", "to", "is_dry"}
        assert encoding["to"] == {"contentType": "application/json"}

    def test_is_required_where_a_field_is(self, document: dict[str, Any]) -> None:
        optional = FeatureRouter("Optional")

        class OptionalParams(Params):
            note: str = ""

        @optional.patch("/optional")
        async def change(ctx: LoggedIn, params: OptionalParams) -> None:
            raise NotImplementedError

        body = build_document([optional])["paths"]["/api/v1/optional"]["patch"]["requestBody"]
        assert body["required"] is False
        assert operation(document, "post", PICTURES)["requestBody"]["required"] is True
        assert component(document, "PaintParams")["required"] == ["title", "color", "to"]

    def test_is_left_out_without_parameters(self, document: dict[str, Any]) -> None:
        assert "requestBody" not in operation(document, "delete", f"{PICTURES}/{{picture_id}}")

    def test_other_names_are_reported_not_refused(self, document: dict[str, Any]) -> None:
        assert "additionalProperties" not in component(document, "PaintParams")
        assert component(document, "Color")["additionalProperties"] is False

    def test_shows_real_types_without_null(self, fields: dict[str, Any]) -> None:
        assert fields["color"]["$ref"] == "#/components/schemas/Color"
        assert fields["layers"]["items"] == {"type": "integer", "format": "int64"}
        assert "null" not in str(fields)
        assert "default" not in fields["layers"]
        assert fields["mode"]["default"] == "oil"

    def test_uses_the_docstring_below_a_field(self, fields: dict[str, Any]) -> None:
        assert fields["frame"]["description"] == "What is around it."

    def test_lists_aliases_of_a_field(self, fields: dict[str, Any]) -> None:
        assert fields["title"]["description"] == "Its name. Also accepted as `subject`."
        loose = "In a query or form, text that is not JSON is taken as a string."
        assert fields["to"]["description"] == loose

    @pytest.mark.parametrize(
        ("name", "example"),
        [
            ("title", "title"),
            ("color", {"red": 1}),
            ("layers", [1]),
            ("to", 7),
            ("is_dry", True),
        ],
    )
    def test_has_an_example_of_every_field(
        self, fields: dict[str, Any], name: str, example: object
    ) -> None:
        assert fields[name]["examples"] == [example]

    def test_omits_the_docstring_of_the_params(self, document: dict[str, Any]) -> None:
        assert "description" not in component(document, "PaintParams")


class HangParams(Params):
    place: str
    photo: UploadedFile | None = None


class ScanParams(Params):
    photo: UploadedFile


class TestFormWithFile:
    @pytest.fixture
    def with_files(self) -> dict[str, Any]:
        files = FeatureRouter("Files")

        @files.post("/hang")
        async def hang(ctx: LoggedIn, params: HangParams) -> None:
            raise NotImplementedError

        @files.post("/scan")
        async def scan(ctx: LoggedIn, params: ScanParams) -> None:
            raise NotImplementedError

        return build_document([files])

    def test_optional_file_is_no_member_of_the_json_body(self, with_files: dict[str, Any]) -> None:
        content = operation(with_files, "post", "/api/v1/hang")["requestBody"]["content"]
        assert list(content) == [JSON, FORM, FORM_OF_PARTS]
        (without,) = names([content[JSON]["schema"]])
        assert component(with_files, without)["properties"].keys() == {"place"}
        (with_file,) = names([content[FORM_OF_PARTS]["schema"]])
        assert component(with_files, with_file)["properties"].keys() == {"place", "photo"}

    def test_required_file_is_only_sent_in_a_form_of_parts(
        self, with_files: dict[str, Any]
    ) -> None:
        content = operation(with_files, "post", "/api/v1/scan")["requestBody"]["content"]
        assert list(content) == [FORM_OF_PARTS]


class TestWithoutForms:
    """For generators that support one content type for each operation."""

    def test_declares_json_only_wherever_it_is_accepted(self) -> None:
        described = operation(build_document([router], declares_forms=False), "post", PICTURES)
        assert list(described["requestBody"]["content"]) == [JSON]

    def test_keeps_the_form_of_a_required_file(self) -> None:
        files = FeatureRouter("Files")

        @files.post("/scan")
        async def scan(ctx: LoggedIn, params: ScanParams) -> None:
            raise NotImplementedError

        document = build_document([files], declares_forms=False)
        content = operation(document, "post", "/api/v1/scan")["requestBody"]["content"]
        assert list(content) == [FORM_OF_PARTS]


class TestQuery:
    @pytest.fixture
    def parameters(self, document: dict[str, Any]) -> dict[str, Any]:
        described = operation(document, "get", PICTURES)["parameters"]
        return {parameter["name"]: parameter for parameter in described}

    def test_scalars_are_plain(self, parameters: dict[str, Any]) -> None:
        assert parameters["text"]["schema"]["type"] == "string"
        assert parameters["text"]["required"] is True
        assert parameters["limit"]["schema"] == {
            "type": "integer",
            "minimum": 1,
            "maximum": 100,
            "default": 20,
        }

    @pytest.mark.parametrize(("name", "example"), [("ids", [1]), ("size", 1)])
    def test_the_rest_is_json(self, parameters: dict[str, Any], name: str, example: object) -> None:
        assert "schema" not in parameters[name]
        assert parameters[name]["content"]["application/json"]["example"] == example

    def test_is_not_also_a_body(self, document: dict[str, Any]) -> None:
        assert "requestBody" not in operation(document, "get", PICTURES)


class TestReadByBody:
    def test_read_with_a_list_is_also_a_post_with_a_body(self, document: dict[str, Any]) -> None:
        described = operation(document, "post", f"{PICTURES}/query")
        assert described["operationId"] == "find_pictures_by_body"
        assert "parameters" not in described
        content = described["requestBody"]["content"]
        assert list(content) == [JSON, FORM]
        assert content[JSON]["schema"] == {"$ref": "#/components/schemas/FindParams"}
        assert described["description"].startswith(f"The same as `GET {PICTURES}`")

    def test_has_the_responses_of_the_read(self, document: dict[str, Any]) -> None:
        read = operation(document, "get", PICTURES)["responses"]
        by_body = operation(document, "post", f"{PICTURES}/query")["responses"]
        assert by_body["200"] == read["200"]
        assert by_body["400"] == read["400"]

    def test_read_without_long_parameters_is_only_a_get(self, document: dict[str, Any]) -> None:
        assert f"{PICTURES}/{{picture_id}}/frames/{{name}}/query" not in document["paths"]


class TestResponses:
    def test_a_success_is_the_payload_in_its_envelope(self, document: dict[str, Any]) -> None:
        schema = answer_schema(document, "post", PICTURES, "200")
        assert schema["properties"].keys() == {
            "result",
            "msg",
            "id",
            "owner",
            "ignored_parameters_unsupported",
        }
        assert schema["properties"]["result"]["const"] == "success"
        assert schema["properties"]["msg"]["const"] == ""
        assert schema["properties"]["owner"]["description"] == "Who has it."
        assert schema["required"] == ["result", "msg", "id"]

    def test_a_success_is_a_schema_named_after_its_payload(self, document: dict[str, Any]) -> None:
        media = answer(document, "post", PICTURES, "200")["content"][JSON]
        assert media == {"schema": {"$ref": "#/components/schemas/PictureResponse"}}

    def test_objects_may_have_keys_that_clients_do_not_know(self, document: dict[str, Any]) -> None:
        for name in ("PictureResponse", "PicturePayload", "OutOfPaintError"):
            assert "additionalProperties" not in component(document, name)

    def test_a_success_without_payload_is_the_envelope(self, document: dict[str, Any]) -> None:
        schema = answer_schema(document, "delete", f"{PICTURES}/{{picture_id}}", "200")
        assert schema["required"] == ["result", "msg"]

    def test_a_stream_is_another_content_type(self, document: dict[str, Any]) -> None:
        content = operation(document, "get", PICTURES)["responses"]["200"]["content"]
        assert content.keys() == {"application/json", "text/event-stream"}

    def test_an_error_has_code_and_keys(self, document: dict[str, Any]) -> None:
        schema = component(document, "OutOfPaintError")
        assert schema["properties"]["result"]["const"] == "error"
        assert schema["properties"]["code"]["const"] == "OUT_OF_PAINT"
        assert schema["properties"]["restock_seconds"] == {
            "type": "number",
            "description": "When there will be more.",
        }
        assert schema["required"] == ["result", "msg", "code", "color", "restock_seconds"]

    def test_an_error_uses_the_keys_of_the_wire(self, document: dict[str, Any]) -> None:
        assert "retry-after" in component(document, "RateLimitHitError")["required"]

    def test_lists_all_errors_of_a_status(self, document: dict[str, Any]) -> None:
        answers = operation(document, "post", PICTURES)["responses"]
        statuses = [200, 400, 401, 403, 404, 409, 413, 429, 500, 503]
        assert list(answers) == [str(status) for status in statuses]
        schema = answer_schema(document, "post", PICTURES, "400")
        assert names(schema["oneOf"]) == {
            "BadRequestError",
            "IdempotencyKeyReusedError",
            "OutOfPaintError",
        }
        description = answer(document, "post", PICTURES, "400")["description"]
        assert "`OUT_OF_PAINT`: Nothing is left of a color." in description

    def test_errors_of_a_status_are_distinguished_by_code(self, document: dict[str, Any]) -> None:
        schema = answer_schema(document, "post", PICTURES, "400")
        assert schema["discriminator"]["propertyName"] == "code"
        mapping = schema["discriminator"]["mapping"]
        assert mapping["OUT_OF_PAINT"] == "#/components/schemas/OutOfPaintError"
        assert mapping.keys() == {
            component(document, name)["properties"]["code"]["const"]
            for name in names(schema["oneOf"])
        }

    def test_errors_with_the_same_code_share_a_schema(self) -> None:
        @dataclass(eq=False)
        class NoBrushError(ApiError):
            """A brush is missing."""

            code = "NO_TOOL"
            brush: str

        @dataclass(eq=False)
        class NoKnifeError(ApiError):
            """A knife is missing."""

            code = "NO_TOOL"

        tools = FeatureRouter("Tools")

        @tools.get("/tools", responses=raises(NoBrushError, NoKnifeError))
        async def get_tools(ctx: Anybody) -> None:
            raise NotImplementedError

        schema = component(build_document([tools]), "NoToolError")
        assert schema["properties"].keys() == {"result", "msg", "code", "brush"}
        assert schema["required"] == ["result", "msg", "code"]

    def test_errors_that_an_endpoint_declares_are_a_response_of_its_own(
        self, document: dict[str, Any]
    ) -> None:
        responses = operation(document, "post", PICTURES)["responses"]
        assert responses["400"] == {"$ref": "#/components/responses/PaintBadRequest"}

    def test_other_errors_are_responses_that_operations_share(
        self, document: dict[str, Any]
    ) -> None:
        for method in ("get", "post"):
            responses = operation(document, method, PICTURES)["responses"]
            assert responses["429"] == {"$ref": "#/components/responses/RateLimited"}

    def test_includes_errors_of_the_guard(self, document: dict[str, Any]) -> None:
        schema = answer_schema(document, "delete", f"{PICTURES}/{{picture_id}}", "400")
        assert "UnauthorizedPrincipalError" in names(schema["oneOf"])

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_query_or_body_can_be_too_large(self, document: dict[str, Any], method: str) -> None:
        assert "413" in operation(document, method, PICTURES)["responses"]

    def test_unlimited_endpoint_has_no_rate_limit_error(self) -> None:
        unlimited = FeatureRouter("Unlimited", is_limited=False)

        @unlimited.get("/unlimited")
        async def get_unlimited(ctx: Anybody) -> None:
            raise NotImplementedError

        described = build_document([unlimited])["paths"]["/api/v1/unlimited"]["get"]
        assert "429" not in described["responses"]
