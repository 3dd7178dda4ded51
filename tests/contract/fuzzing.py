"""Requests for every operation of the OpenAPI document, with hostile values in them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson

from chatapi.http.route import ChatRoute
from tests.contract.hostile_values import TEXTS, HostileValues, encode
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth
from tests.support.documented_responses import assert_response_is_documented, service_document
from tests.support.routes import ROUTES

_METHODS_ELSEWHERE = ("PUT", "HEAD", "OPTIONS")
_TYPES = (
    "application/json",
    "text/plain",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded; charset=utf-16",
    "\xff",
)
_BODIES = (
    b"",
    b"{}",
    b"[]",
    b"null",
    b'{"a": 1, "a": 2}',
    b'{"type": "\\u0000"}',
    b"\xff\xfe",
    b"a=%ED%A0%80",
    b"&&&===",
    b"--x\r\n\r\n",
    b"%" * 500,
    b"a=1;b=2",
)
_DEFAULTS = {"integer": 1, "boolean": True, "array": [], "object": {}, "string": "x"}


@dataclass(frozen=True)
class Case:
    """One request, as it can be read in a failure."""

    method: str
    path: str
    person: Person | None
    request: dict[str, Any] = field(default_factory=dict)

    async def send(self, client: ApiClient) -> httpx.Response:
        return await client.http.request(
            self.method, self.path, auth=basic_auth(self.person), **self.request
        )


@dataclass(frozen=True)
class Fuzzer:
    """Draws cases; equal seeds, users and ids draw equal cases."""

    generator: random.Random
    people: Sequence[Person | None]
    known_ids: Sequence[int]

    def draw(self) -> Case:
        route = self.generator.choice(ROUTES)
        person = self.generator.choice(self.people)
        method = route.method
        if self.generator.random() < 0.01:
            method = self.generator.choice(_METHODS_ELSEWHERE)
        return Case(method, self._path(route), person, self._request(route))

    def _path(self, route: ChatRoute) -> str:
        places = {}
        for name in route.param_convertors:
            known = str(self.generator.choice(self.known_ids))
            is_known = self.generator.random() < 0.7
            text = known if is_known else str(self.generator.choice((*TEXTS, -1, 10**30)))
            places[name] = httpx.QueryParams({"x": text[:200]}).__str__()[2:].replace("+", "%20")
        return route.path_format.format_map(places)

    def _request(self, route: ChatRoute) -> dict[str, Any]:
        roll = self.generator.random()
        if roll < 0.03:
            content, kind = self.generator.choice(_BODIES), self.generator.choice(_TYPES)
            return {"content": content, "headers": {"Content-Type": kind.encode("latin-1")}}
        if route.method != "GET" and roll < 0.4:
            return {
                "content": self._json_body(route),
                "headers": {"Content-Type": "application/json"},
            }
        values = self._values(route)
        file = route.operation.params.file_parameter
        if file is not None:
            values.pop(file, None)
            return {"data": values, "files": {"f": (self.generator.choice(TEXTS), b"content")}}
        if route.method == "GET" or roll < 0.5:
            return {"params": values}
        if roll < 0.6:
            return {"files": {name: (None, value) for name, value in values.items()}}
        return {"data": values}

    def _json_body(self, route: ChatRoute) -> bytes:
        """The values of a form: most of those that are JSON as they are, most others as strings."""
        decoders = route.operation.params.decoders
        members = []
        for name, text in self._values(route).items():
            is_json = name in decoders and decoders[name].is_json
            is_raw = is_json != (self.generator.random() < 0.1)
            value = text if is_raw else orjson.dumps(text).decode()
            members.append(f"{orjson.dumps(name).decode()}:{value}")
        return f"{{{','.join(members)}}}".encode()

    def _values(self, route: ChatRoute) -> dict[str, str]:
        """Examples, most of the required and some of the others, and one or two that are wrong."""
        examples = examples_of(route)
        hostile = HostileValues(self.generator, self.known_ids)
        values = {
            name: encode(example)
            for name, (example, is_required) in examples.items()
            if self.generator.random() < (0.97 if is_required else 0.3)
        }
        if examples:
            for _ in range(self.generator.choice((0, 0, 1, 1, 2))):
                name = self.generator.choice(list(examples))
                values[name] = hostile.for_parameter(examples[name][0])
        if self.generator.random() < 0.05:
            values[hostile.text()] = hostile.text()
        return values


def examples_of(route: ChatRoute) -> dict[str, tuple[Any, bool]]:
    """An example of each parameter, and whether it is required."""
    document = service_document()
    operation = document["paths"][route.path_format][route.method.lower()]
    found: dict[str, tuple[Any, bool]] = {}
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query":
            media = parameter.get("content", {}).get("application/json", parameter)
            example = media.get("example", _default(media.get("schema", {})))
            found[parameter["name"]] = (example, parameter["required"])
    for media in operation.get("requestBody", {}).get("content", {}).values():
        form = document["components"]["schemas"][media["schema"]["$ref"].rpartition("/")[2]]
        for name, schema in form["properties"].items():
            example = schema.get("examples", [_default(schema)])[0]
            found[name] = (example, name in form.get("required", ()))
    return found


def _default(schema: dict[str, Any]) -> Any:
    kinds = [schema, *schema.get("anyOf", ())]
    for kind in kinds:
        if "enum" in kind:
            return kind["enum"][0]
        if kind.get("type") in _DEFAULTS:
            return _DEFAULTS[kind["type"]]
    return "x"


def check(case: Case, response: httpx.Response) -> None:
    """Fail unless the response is documented and is no server error."""
    assert response.status_code < 500, response.text
    content_type = response.headers.get("content-type", "")
    if case.method in _METHODS_ELSEWHERE:
        return
    body = response.json() if content_type == "application/json" else None
    if body is not None:
        assert body["result"] in {"success", "error"}
        assert ("code" in body) == (body["result"] == "error")
    path = response.request.url.path
    assert_response_is_documented(case.method, path, response.status_code, content_type, body)
