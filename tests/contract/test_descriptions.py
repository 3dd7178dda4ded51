"""Every operation, parameter and field of the document is described."""

import re
from collections.abc import Iterator
from typing import Any

from tests.support.documented_responses import service_document

DOCUMENT = service_document()
OPERATIONS = [operation for methods in DOCUMENT["paths"].values() for operation in methods.values()]
FILLERS = {"a", "an", "and", "for", "id", "ids", "is", "it", "its", "of", "or", "that", "the"}
"""Words that add nothing to the name of a field."""


def fields_in(node: Any, place: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every property of an object: where it is, its name and its schema."""
    if isinstance(node, list):
        for part in node:
            yield from fields_in(part, place)
    if not isinstance(node, dict):
        return
    for name, schema in node.get("properties", {}).items():
        yield place, name, schema
        yield from fields_in(schema, f"{place}.{name}")
    for key, part in node.items():
        if key not in {"properties", "example", "examples", "default"}:
            yield from fields_in(part, place)


def every_field() -> Iterator[tuple[str, str, str]]:
    """Place, name and description of every field of a schema and of every parameter."""
    for component, schema in DOCUMENT["components"]["schemas"].items():
        for place, name, field in fields_in(schema, component):
            yield place, name, field.get("description", "")
    for operation in OPERATIONS:
        for parameter in operation.get("parameters", ()):
            described = parameter.get("description", "")
            yield operation["operationId"], parameter["name"], described
            yield from (
                (place, name, field.get("description", ""))
                for place, name, field in fields_in(parameter, operation["operationId"])
            )


def says_only_the_name(name: str, description: str) -> bool:
    """Whether a description has no word that the name does not have: "The id of the user."."""
    known = {word.rstrip("s") for word in re.findall(r"[a-z]+", name.lower())}
    told = {word for word in re.findall(r"[a-z]+", description.lower()) if word not in FILLERS}
    return {word.rstrip("s") for word in told} <= known


def test_every_field_and_parameter_is_described() -> None:
    missing = [f"{place}: {name}" for place, name, described in every_field() if not described]
    assert missing == []


def test_description_says_more_than_the_name() -> None:
    empty = {
        f"{place}: {name}: {described}"
        for place, name, described in every_field()
        if described and says_only_the_name(name, described)
    }
    assert empty == set()


def test_description_is_made_of_sentences() -> None:
    torn = {
        f"{place}: {name}: {described}"
        for place, name, described in every_field()
        if described and not re.fullmatch(r"[A-Z0-9`\-].*\.", described)
    }
    assert torn == set()


def test_every_operation_has_a_short_summary_and_a_description() -> None:
    faults = {
        operation["operationId"]
        for operation in OPERATIONS
        if not operation.get("description")
        or not operation["summary"]
        or len(operation["summary"]) > 80
        or operation["summary"].endswith(".")
    }
    assert faults == set()


def test_every_schema_of_an_object_is_described() -> None:
    missing = {
        name
        for name, schema in DOCUMENT["components"]["schemas"].items()
        if "properties" in schema
        and not name.endswith(("Params", "ParamsWithoutFile"))
        and not schema.get("description")
    }
    assert missing == set()
