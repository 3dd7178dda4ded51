"""Checks responses against the OpenAPI document: status, content type, and all keys of the body."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from chatapi.http.openapi import build_document
from chatapi.main import FEATURES

_DOCUMENT_URI = "urn:chatapi:openapi"
_PARAMETER = re.compile(r"\{(\w+)\}")
_PLACES = (".+", "[^/]+", "[0-9]+")
_METHODS = {"get", "post", "put", "patch", "delete"}
_TEST_EVENTS = "test_"
_ELSEWHERE = "x-unrouted-responses"
_MOST_REMEMBERED = 200_000


class ValidProperties:
    """The keyword `properties`, which validates the same value of a property once.

    Responses of tests repeat most of each other: POST /register took as long to check as to answer.
    """

    def __init__(self) -> None:
        self._known: set[tuple[int, bytes]] = set()

    def __call__(
        self, validator: Any, properties: dict[str, Any], instance: Any, _schema: object
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        for name, schema in properties.items():
            if name not in instance:
                continue
            # The schemas are parts of one document, which lives as long as the validators.
            seen = (id(schema), orjson.dumps(instance[name]))
            if seen in self._known:
                continue
            faults = list(validator.descend(instance[name], schema, path=name, schema_path=name))
            yield from faults
            if not faults:
                self._remember(seen)

    def _remember(self, seen: tuple[int, bytes]) -> None:
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known.add(seen)


class DocumentedResponses:
    """The responses of a document; a validator is made once for each.

    Clients ignore keys they do not know, so the document allows them; here they are faults.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        document = _without_unknown_keys(document)
        self._document: dict[str, Any] = document
        self._registry = Registry().with_resource(
            _DOCUMENT_URI, DRAFT202012.create_resource(document)
        )
        self._paths: list[tuple[re.Pattern[str], str]] = sorted(
            ((_pattern(path, item), path) for path, item in document["paths"].items()),
            # In the server's order: literal paths first, then numbers, then any text.
            key=lambda entry: [entry[0].pattern.count(place) for place in _PLACES],
        )
        self._validator_class: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
            Draft202012Validator, {"properties": ValidProperties(), "oneOf": _one_of}
        )
        self._validators: dict[tuple[str, ...], Draft202012Validator] = {}

    def check(self, method: str, path: str, status: int, content_type: str, body: object) -> None:
        """Fail unless the document contains this response; `body` is decoded JSON."""
        place = self._place(method.lower(), path, status)
        kind = content_type.partition(";")[0]
        answers = self._at(*place).get("content", {})
        assert kind in answers, f"{method} {path} answered {status} with undocumented {kind}"
        if kind != "application/json":
            return
        fault = self._fault(body, *place, "content", kind, "schema")
        assert not fault, f"{method} {path} answered {status}, but not as documented: {fault}"

    def check_value(self, value: object, *place: str) -> None:
        """Fail unless the value is as the schema at this place of the document says."""
        fault = self._fault(value, *place)
        assert not fault, f"not as documented at {'/'.join(place)}: {fault}"

    def _fault(self, value: object, *place: str) -> str:
        fault = best_match(self._validator(*place).iter_errors(value))
        return "" if fault is None else f"{fault.message} at {fault.json_path}"

    def _place(self, method: str, path: str, status: int) -> tuple[str, ...]:
        """Where the document describes the response."""
        template = self._template(path)
        operation = self._document["paths"].get(template, {}).get(method)
        if template is not None and operation is not None:
            documented = operation["responses"]
            assert str(status) in documented, (
                f"{method} {path} answered {status}; documented are {', '.join(documented)}"
            )
            return self._follow("paths", template, method, "responses", str(status))
        assert str(status) in self._document[_ELSEWHERE], (
            f"{method} {path}, which is not documented, answered {status}"
        )
        return (_ELSEWHERE, str(status))

    def _follow(self, *place: str) -> tuple[str, ...]:
        """The place itself, or the one it refers to."""
        reference = self._at(*place).get("$ref")
        return place if reference is None else tuple(reference.removeprefix("#/").split("/"))

    def _template(self, path: str) -> str | None:
        for pattern, template in self._paths:
            if pattern.fullmatch(path):
                return template
        return None

    def _at(self, *place: str) -> dict[str, Any]:
        found: dict[str, Any] = self._document
        for step in place:
            found = found[step]
        return found

    def _validator(self, *place: str) -> Draft202012Validator:
        if place not in self._validators:
            pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in place)
            self._validators[place] = self._validator_class(
                {"$ref": f"{_DOCUMENT_URI}#/{pointer}"}, registry=self._registry
            )
        return self._validators[place]


def _without_unknown_keys(node: Any) -> Any:
    """A copy of the document in which objects have only the keys it names."""
    if isinstance(node, list):
        return [_without_unknown_keys(item) for item in node]
    if not isinstance(node, dict):
        return node
    copy = {key: _without_unknown_keys(value) for key, value in node.items()}
    if isinstance(copy.get("properties"), dict) and copy.get("type") == "object":
        copy.setdefault("additionalProperties", False)
    return copy


def _one_of(
    validator: Any, choices: list[Any], instance: Any, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    """Check only the choice that the discriminator names: faster, and faults are in one choice."""
    discriminator = schema.get("discriminator")
    if discriminator is None or not isinstance(instance, dict):
        yield from Draft202012Validator.VALIDATORS["oneOf"](validator, choices, instance, schema)
        return
    name, mapping = discriminator["propertyName"], discriminator["mapping"]
    value = instance.get(name)
    if value not in mapping:
        yield ValidationError(f"{value!r} at {name} is none of {', '.join(mapping)}")
        return
    choice = {"$ref": mapping[value]}
    assert choice in choices
    yield from validator.descend(instance, choice)


def _pattern(template: str, item: dict[str, Any]) -> re.Pattern[str]:
    schemas = {
        parameter["name"]: parameter["schema"]
        for method, operation in item.items()
        if method in _METHODS
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "path"
    }
    pattern = ""
    position = 0
    for parameter in _PARAMETER.finditer(template):
        pattern += re.escape(template[position : parameter.start()])
        pattern += _place_pattern(schemas[parameter[1]])
        position = parameter.end()
    return re.compile(pattern + re.escape(template[position:]), re.DOTALL)


def _place_pattern(schema: dict[str, Any]) -> str:
    if schema.get("type") == "integer":
        return "[0-9]+"
    return ".+" if schema.get("format") == "path" else "[^/]+"


@cache
def service_document() -> dict[str, Any]:
    """The OpenAPI document of the current service; building it takes two seconds."""
    return build_document(FEATURES)


@cache
def documented_responses() -> DocumentedResponses:
    """The documented responses of the current service."""
    return DocumentedResponses(service_document())


def assert_response_is_documented(
    method: str, path: str, status: int, content_type: str, body: object
) -> None:
    documented_responses().check(method, path, status, content_type, _without_test_events(body))


def _without_test_events(body: object) -> object:
    """The body without events that exist for tests only, which no document describes."""
    if not isinstance(body, dict) or not isinstance(body.get("events"), list):
        return body
    events = [event for event in body["events"] if not event["type"].startswith(_TEST_EVENTS)]
    return {**body, "events": events}
