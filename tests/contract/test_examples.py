"""The recorded examples: one for every success and every event, and none that is out of date."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from chatapi.http.openapi import EXAMPLES_FOLDER
from tests.examples.story import record
from tests.examples.tidying import SECRETS
from tests.support.documented_responses import documented_responses, service_document

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
        assert ("request" in EXAMPLES[name]) <= ("requestBody" in operation)
        if "request" in EXAMPLES[name]:
            place = ("paths", path, method, "requestBody", "content", "application/json", "schema")
            documented_responses().check_value(EXAMPLES[name]["request"], *place)

    @pytest.mark.parametrize("name", sorted(EVENTS))
    def test_event_has_the_keys_that_are_documented_and_no_others(self, name: str) -> None:
        documented_responses().check_value(EVENTS[name], "components", "schemas", name)


class TestDocument:
    def test_shows_the_recorded_responses_and_requests(self) -> None:
        for name, example in EXAMPLES.items():
            _path, _method, operation = OPERATIONS[name]
            success = operation["responses"]["200"]["content"]["application/json"]
            assert success["example"] == example["response"]
            if "request" in example:
                body = operation["requestBody"]["content"]["application/json"]
                assert body["example"] == example["request"]

    def test_shows_the_recorded_events(self) -> None:
        for name, example in EVENTS.items():
            assert DOCUMENT["components"]["schemas"][name]["examples"] == [example]

    def test_shows_no_secrets(self) -> None:
        found = {pair for pair in secrets_in([EXAMPLES, EVENTS]) if SECRETS[pair[0]] != pair[1]}
        assert found == set()


@pytest.mark.slow
async def test_story_still_succeeds_and_records_the_same_kinds_of_examples() -> None:
    recorded = await record()
    assert recorded.operations.keys() == EXAMPLES.keys()
    assert recorded.events.keys() == EVENTS.keys()
