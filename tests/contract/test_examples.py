"""The recorded examples: one for every success and every event, and none that is out of date."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from chatapi.http import pages
from chatapi.http.openapi import EXAMPLES_FOLDER
from tests.examples.story import record
from tests.examples.tidying import FILE_TOKEN, SECRETS, tidy
from tests.support.documented_responses import documented_responses, service_document

JSON = "application/json"
DOCUMENT = service_document()
OPERATIONS = {
    operation["operationId"]: (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
EVENTS: dict[str, Any] = orjson.loads((EXAMPLES_FOLDER / "events.json").read_bytes())
EXAMPLES: dict[str, Any] = {
    name: example
    for path in EXAMPLES_FOLDER.glob("*.json")
    if path.stem != "events"
    for name, example in orjson.loads(path.read_bytes()).items()
}
FIRST_MESSAGE = Path(pages.__file__).parent / "guides" / "first-message.md"
NEVER_SUCCEED = {
    "get_channel_email_address",
    "test_encrypted_push_notification",
    "test_push_notification",
}
"""Operations of the protocol that this server always refuses."""


def event_schemas(name: str = "Event") -> Iterator[str]:
    schema = DOCUMENT["components"]["schemas"][name]
    if "oneOf" not in schema:
        yield name
    for choice in schema.get("oneOf", ()):
        yield from event_schemas(choice["$ref"].rpartition("/")[2])


def secrets_in(node: Any) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in SECRETS and isinstance(value, str):
                yield key, value
            yield from secrets_in(value)
    elif isinstance(node, list):
        for part in node:
            yield from secrets_in(part)


class TestComplete:
    """`python3 dev.py examples` records what is missing, if the story in tests/examples has it."""

    def test_every_operation_that_can_succeed_has_an_example_and_no_other_has(self) -> None:
        assert EXAMPLES.keys() == OPERATIONS.keys() - NEVER_SUCCEED

    def test_every_event_has_an_example_and_no_other_has(self) -> None:
        assert EVENTS.keys() == set(event_schemas())


class TestUpToDate:
    @pytest.mark.parametrize("name", sorted(EXAMPLES.keys() & OPERATIONS.keys()))
    def test_response_has_the_keys_that_are_documented_and_no_others(self, name: str) -> None:
        path, method, _operation = OPERATIONS[name]
        place = ("paths", path, method, "responses", "200", "content", "application/json", "schema")
        documented_responses().check_value(EXAMPLES[name]["response"], *place)

    @pytest.mark.parametrize("name", sorted(EXAMPLES.keys() & OPERATIONS.keys()))
    def test_request_has_only_parameters_of_the_operation(self, name: str) -> None:
        path, method, operation = OPERATIONS[name]
        request = EXAMPLES[name]["request"]
        for part in ("path", "query"):
            names = {each["name"] for each in operation.get("parameters", ()) if each["in"] == part}
            assert request.get(part, {}).keys() <= names
        if "body" in request:
            place = ("paths", path, method, "requestBody", "content", "application/json", "schema")
            documented_responses().check_value(request["body"], *place)

    @pytest.mark.parametrize("name", sorted(EVENTS))
    def test_event_has_the_keys_that_are_documented_and_no_others(self, name: str) -> None:
        documented_responses().check_value(EVENTS[name], "components", "schemas", name)


class TestDocument:
    def test_shows_the_recorded_responses(self) -> None:
        for name, example in EXAMPLES.items():
            _path, _method, operation = OPERATIONS[name]
            success = operation["responses"]["200"]["content"]["application/json"]
            assert success["example"] == example["response"]

    def test_shows_the_parameters_of_recorded_requests_and_marks_no_others(self) -> None:
        for name, example in EXAMPLES.items():
            _path, _method, operation = OPERATIONS[name]
            request = example["request"]
            shown = {
                parameter["name"]: parameter.get("content", {}).get(JSON, parameter)["example"]
                for parameter in operation.get("parameters", ())
                if "x-prefilled" in parameter
            }
            assert shown == {**request.get("path", {}), **request.get("query", {})}

    def test_shows_the_recorded_body_as_json_and_as_a_form(self) -> None:
        for name, example in EXAMPLES.items():
            _path, _method, operation = OPERATIONS[name]
            body = example["request"].get("body", {})
            content = operation.get("requestBody", {}).get("content", {})
            if JSON in content:
                assert content[JSON]["example"] == body
            for media in content.values():
                assert media.get("example", {}) == body

    def test_shows_a_value_of_a_recorded_request_for_each_parameter_that_has_one(self) -> None:
        values: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
        for name, example in EXAMPLES.items():
            _path, _method, operation = OPERATIONS[name]
            # A read that can be done by a body as well has the same parameters.
            read = EXAMPLES.get(name.removesuffix("_by_body"), example)
            for media in operation.get("requestBody", {}).get("content", {}).values():
                schema = media["schema"]["$ref"].rpartition("/")[2]
                for parameter, value in example["request"].get("body", {}).items():
                    values[schema, parameter].append(value)
                for parameter, value in read["request"].get("query", {}).items():
                    values[schema, parameter].append(value)
        schemas = DOCUMENT["components"]["schemas"]
        for (schema, parameter), recorded in values.items():
            [shown] = schemas[schema]["properties"][parameter]["examples"]
            # Operations that share their parameters have different examples of them.
            assert shown in recorded

    def test_shows_the_recorded_events(self) -> None:
        for name, example in EVENTS.items():
            assert DOCUMENT["components"]["schemas"][name]["examples"] == [example]

    def test_shows_no_secrets(self) -> None:
        shown = {(key, value) for key, value in secrets_in([EXAMPLES, EVENTS])}
        assert shown <= {*SECRETS.items(), ("token", FILE_TOKEN)}


@pytest.mark.parametrize("token", ["9xT2mQ7bKc1LwZ8sPd4VfA6h", "-x_2mQ7bKc1LwZ8sPd4VfA6h"])
def test_random_name_of_a_stored_file_is_replaced(token: str) -> None:
    address = f"/user_uploads/1/{token[:2]}/{token}/notes.txt"
    assert tidy(address) == f"/user_uploads/1/{FILE_TOKEN[:2]}/{FILE_TOKEN}/notes.txt"


def test_guide_sends_the_recorded_message() -> None:
    [body] = re.findall(r"--json '(.+)'", FIRST_MESSAGE.read_text())
    assert orjson.loads(body) == EXAMPLES["send_message"]["request"]["body"]


@pytest.mark.slow
async def test_story_still_succeeds_and_records_the_same_requests_and_kinds_of_answers() -> None:
    recorded = await record()
    assert requests_of(recorded.operations) == requests_of(EXAMPLES)
    assert recorded.events.keys() == EVENTS.keys()


def requests_of(examples: dict[str, Any]) -> dict[str, Any]:
    return {name: example["request"] for name, example in examples.items()}
