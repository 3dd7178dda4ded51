"""Compares a JSON schema of the service with the types in a table of the protocol."""

from collections.abc import Iterator
from typing import Any

from tests.support.documented_responses import service_document

Schema = dict[str, Any]
_NAMED = {
    "group": {"integer", "object"},
    "number": {"number", "integer"},
}


def mismatches(wire: object, schema: Schema, place: str) -> Iterator[str]:
    """Where values of the schema are not what the table promises."""
    forms = list(_forms(schema))
    types = {name for form in forms for name in _types(form)}
    allowed = _allowed(wire)
    if allowed is None:
        return
    if types - allowed:
        yield f"{place}: is {sorted(types)}, expected {sorted(allowed)}"
        return
    if isinstance(wire, list):
        for form in forms:
            if form.get("type") == "array":
                yield from mismatches(wire[0], form.get("items", {}), f"{place}[]")
    elif isinstance(wire, dict) and "one of" not in wire:
        for form in forms:
            if form.get("type") == "object":
                yield from _object_mismatches(wire, form, place)


def _object_mismatches(wire: dict[str, object], form: Schema, place: str) -> Iterator[str]:
    properties = form.get("properties", {})
    for name, expected in wire.items():
        if name == "<key>":
            inside = form.get("additionalProperties")
            if isinstance(inside, dict):
                yield from mismatches(expected, inside, f"{place}.*")
        elif name.rstrip("?") in properties:
            yield from mismatches(
                expected, properties[name.rstrip("?")], f"{place}.{name.rstrip('?')}"
            )
        elif not name.endswith("?"):
            yield f"{place}.{name}: missing"


def _allowed(wire: object) -> set[str] | None:
    """The JSON types that the table allows; None: any."""
    if isinstance(wire, list):
        return {"array"}
    if isinstance(wire, dict):
        if "one of" not in wire:
            return {"object"}
        choices = [_allowed(each) for each in wire["one of"]]
        return None if None in choices else {name for each in choices if each for name in each}
    if not isinstance(wire, str):
        raise TypeError(wire)
    names = wire.split("|")
    return None if "any" in names else {each for name in names for each in _NAMED.get(name, {name})}


def _forms(schema: Schema) -> Iterator[Schema]:
    """The alternatives of a schema, with references followed."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from _forms(service_document()["components"]["schemas"][name])
        return
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices is None:
        yield schema
        return
    for choice in choices:
        yield from _forms(choice)


def _types(form: Schema) -> set[str]:
    if "const" in form or "enum" in form:
        values = form.get("enum", [form.get("const")])
        return {_type_of(value) for value in values}
    kind = form.get("type")
    if kind is None:
        return {"anything"}
    return {kind} if isinstance(kind, str) else set(kind)


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return "integer" if isinstance(value, int) else "string"
