"""The document of the whole service: valid, complete, and with examples that can be sent."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.support.documented_responses import service_document

DOCUMENT = service_document()
OPERATIONS = [
    pytest.param(operation, id=f"{method} {path}")
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
VERBS = {
    "add",
    "archive",
    "change",
    "create",
    "deactivate",
    "delete",
    "edit",
    "fetch",
    "get",
    "mark",
    "match",
    "mute",
    "patch",
    "put",
    "reactivate",
    "regenerate",
    "register",
    "remove",
    "render",
    "reorder",
    "report",
    "revoke",
    "send",
    "set",
    "subscribe",
    "test",
    "unmute",
    "unsubscribe",
    "update",
    "upload",
}
REGISTRY: Registry[Any] = Registry().with_resource(
    "urn:document", DRAFT202012.create_resource(DOCUMENT)
)


def parameters(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Name, schema and examples of everything an operation takes."""
    for parameter in operation.get("parameters", ()):
        media = parameter.get("content", {}).get("application/json", parameter)
        yield parameter["name"], media["schema"], [media["example"]]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        name = media["schema"]["$ref"].rpartition("/")[2]
        form = DOCUMENT["components"]["schemas"][name]
        for field, schema in form["properties"].items():
            default = [schema["default"]] if "default" in schema else []
            yield field, schema, schema.get("examples", default)


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def response_of(described: dict[str, Any]) -> dict[str, Any]:
    """A response, or the one it refers to."""
    if "$ref" not in described:
        return described
    found: dict[str, Any] = DOCUMENT["components"]["responses"][
        described["$ref"].rpartition("/")[2]
    ]
    return found


def schemas_in(node: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema with a type, and where it is; examples are no schemas."""
    if isinstance(node, dict):
        if isinstance(node.get("type"), str):
            yield place, node
        for key, value in node.items():
            if key not in {"example", "examples", "default", "securitySchemes"}:
                yield from schemas_in(value, f"{place}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from schemas_in(value, f"{place}/{number}")


def resolved(schema: object) -> object:
    """The schema with references that lead into the document from anywhere."""
    if isinstance(schema, dict):
        return {
            key: f"urn:document{value}" if key == "$ref" else resolved(value)
            for key, value in schema.items()
        }
    return [resolved(item) for item in schema] if isinstance(schema, list) else schema


class TestDocument:
    def test_every_schema_is_valid(self) -> None:
        for schema in DOCUMENT["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)

    def test_every_tag_is_described_and_used(self) -> None:
        used = {
            tag
            for methods in DOCUMENT["paths"].values()
            for operation in methods.values()
            for tag in operation["tags"]
        }
        for tag in DOCUMENT["tags"]:
            assert tag["description"], tag["name"]
        assert {tag["name"] for tag in DOCUMENT["tags"]} == used

    def test_tags_are_in_the_order_of_their_groups(self) -> None:
        grouped = [tag for group in DOCUMENT["x-tagGroups"] for tag in group["tags"]]
        assert [tag["name"] for tag in DOCUMENT["tags"]] == grouped

    def test_deprecated_operations_are_marked(self) -> None:
        marked = {
            operation["operationId"]
            for methods in DOCUMENT["paths"].values()
            for operation in methods.values()
            if operation.get("deprecated")
        }
        assert marked == {"mute_topic", "mark_topic_as_read"}

    def test_no_two_operations_of_a_tag_have_one_summary(self) -> None:
        summaries = Counter(
            (operation["tags"][0], operation["summary"])
            for methods in DOCUMENT["paths"].values()
            for operation in methods.values()
        )
        assert [each for each, count in summaries.items() if count > 1] == []

    def test_operation_names_are_unique(self) -> None:
        counts = Counter(
            operation["operationId"]
            for methods in DOCUMENT["paths"].values()
            for operation in methods.values()
        )
        assert counts.most_common(1)[0][1] == 1

    @pytest.mark.parametrize("kind", ["headers", "responses", "schemas"])
    def test_every_component_is_referred_to_by_an_operation_or_another_component(
        self, kind: str
    ) -> None:
        used = set(references({"paths": DOCUMENT["paths"], "parts": DOCUMENT["components"]}))
        assert {f"#/components/{kind}/{name}" for name in DOCUMENT["components"][kind]} <= used

    def test_no_component_has_the_name_that_generators_give_to_a_query(self) -> None:
        """Some make a type of all query parameters, such as `GetUsersParams` for `get_users`."""
        given = {
            f"{operation['operationId'].title().replace('_', '')}Params"
            for methods in DOCUMENT["paths"].values()
            for operation in methods.values()
            if any(each["in"] == "query" for each in operation.get("parameters", ()))
        }
        assert given & DOCUMENT["components"]["schemas"].keys() == set()

    def test_component_names_are_not_qualified_by_module(self) -> None:
        # Two types with the same name would be distinguished by their modules.
        assert not [name for name in DOCUMENT["components"]["schemas"] if "__" in name]

    def test_integer_without_a_limit_below_32_bits_is_int64(self) -> None:
        small = {
            place
            for place, schema in schemas_in(DOCUMENT)
            if schema["type"] == "integer"
            and schema.get("format") != "int64"
            and schema.get("maximum", 2**31) >= 2**31
            and not {"const", "enum"} & schema.keys()
        }
        assert small == set()

    def test_null_is_only_ever_one_of_several_types(self) -> None:
        alone = [
            place
            for place, schema in schemas_in(DOCUMENT)
            if schema["type"] == "null" and "/anyOf/" not in place[-9:]
        ]
        assert alone == []

    def test_there_is_one_schema_of_messages_in_responses(self) -> None:
        schemas = DOCUMENT["components"]["schemas"]
        listed = schemas["MessagesResponse"]["properties"]["messages"]["items"]
        assert listed["$ref"] == schemas["OneMessageResponse"]["properties"]["message"]["$ref"]
        message = schemas[listed["$ref"].rpartition("/")[2]]
        assert {"match_content", "match_subject"} <= message["properties"].keys()
        assert not {"match_content", "match_subject"} & set(message["required"])

    def test_every_error_has_a_constant_code(self) -> None:
        errors = {
            name: schema
            for name, schema in DOCUMENT["components"]["schemas"].items()
            if name.endswith("Error") and "oneOf" not in schema
        }
        codes = [schema["properties"]["code"]["const"] for schema in errors.values()]
        assert len(set(codes)) == len(codes)


class TestEvents:
    """A generator makes a type for every event from the union `Event`."""

    def test_union_has_every_kind_of_event_on_the_page(self) -> None:
        page = (Path(__file__).parent.parent.parent / "docs/events.md").read_text()
        kinds = {
            (kind["type"], kind["op"])
            for kind in re.finditer(
                r'^## `type` "(?P<type>\w+)"(, `op` "(?P<op>\w+)")?$', page, re.MULTILINE
            )
        }
        assert kinds
        assert {kind_of(schema) for schema in leaves("Event")} == {*kinds, ("heartbeat", None)}

    def test_union_is_discriminated_by_type_then_by_op(self) -> None:
        schemas = DOCUMENT["components"]["schemas"]
        outer = schemas["Event"]["discriminator"]
        assert outer["propertyName"] == "type"
        for kind, reference in outer["mapping"].items():
            name = reference.rpartition("/")[2]
            assert {each["properties"]["type"]["const"] for each in leaves(name)} == {kind}
            if "oneOf" in schemas[name]:
                inner = schemas[name]["discriminator"]
                assert inner["propertyName"] == "op"
                assert inner["mapping"].keys() == {kind_of(each)[1] for each in leaves(name)}

    def test_each_event_requires_its_head(self) -> None:
        for schema in leaves("Event"):
            head = {"id", "type"} | ({"op"} & schema["properties"].keys())
            assert head <= set(schema["required"])
            assert schema["description"]


def leaves(name: str) -> Iterator[dict[str, Any]]:
    """The schemas of a union, and of unions inside it."""
    schema = DOCUMENT["components"]["schemas"][name]
    if "oneOf" not in schema:
        yield schema
    for choice in schema.get("oneOf", ()):
        yield from leaves(choice["$ref"].rpartition("/")[2])


def kind_of(event: dict[str, Any]) -> tuple[str, str | None]:
    properties = event["properties"]
    return properties["type"]["const"], properties.get("op", {}).get("const")


@pytest.mark.parametrize("operation", OPERATIONS)
class TestEveryOperation:
    def test_is_named_like_a_method(self, operation: dict[str, Any]) -> None:
        name = operation["operationId"]
        assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", name)
        assert name.partition("_")[0] in VERBS

    def test_has_an_example_for_each_parameter(self, operation: dict[str, Any]) -> None:
        for name, schema, examples in parameters(operation):
            assert examples, name
            validator = Draft202012Validator(resolved(schema), registry=REGISTRY)  # type: ignore[arg-type]
            for example in examples:
                assert validator.is_valid(example), f"{name}: {example!r}"

    def test_explains_every_status(self, operation: dict[str, Any]) -> None:
        for status, described in operation["responses"].items():
            assert response_of(described)["description"], status

    def test_names_the_schema_of_every_response(self, operation: dict[str, Any]) -> None:
        for status, described in operation["responses"].items():
            if status == "304":
                # It has no body.
                assert "content" not in described
                continue
            schema = response_of(described)["content"]["application/json"]["schema"]
            assert schema.keys() == {"$ref"}, status
