"""Messages about wrong parameters name parts of the request, and nothing of the implementation."""

import re
from collections.abc import Iterator

import pytest

from chatapi.core.errors import BadRequestError
from chatapi.wire.params import Params
from chatapi.wire.strict_json import JsonValue
from tests.support.routes import ROUTES

WRONG: tuple[object, ...] = (
    *(True, 0, -1, 1.5, 10**30, "", "x", [], {}),
    *([None], [True], [1], ["x"], [[]], [["a"]], [["a", {}]], [[1, 2, 3]]),
    *([{}], [{"operator": "x"}], [{"operator": 1, "operand": {}}], [{"name": 1}], [{"id": "x"}]),
    *({"a": 1}, {"1": []}, {"new": {}}, {"new": {"direct_members": ["x"]}}, {"x": {"y": None}}),
)
STEP = re.compile(r'\["([^"]+)"\]')
INTERNAL = re.compile(
    r"[a-z][A-Z]|function|constrained|literal\[|list\[|dict\[|union|Input should|validation|tagged"
)


def keys_of(value: object) -> Iterator[str]:
    """All keys in a value, at any depth."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield str(key)
            yield from keys_of(member)
    elif isinstance(value, list):
        for member in value:
            yield from keys_of(member)


def declared_keys(params: type[Params]) -> set[str]:
    schema = params.model_json_schema()
    models = [schema, *schema.get("$defs", {}).values()]
    return {name for model in models for name in model.get("properties", {})}


def refusals(params: type[Params]) -> Iterator[tuple[object, str]]:
    for name in params.model_fields.keys() & params.decoders.keys():
        for value in WRONG:
            try:
                params.read({name: JsonValue(value)})
            except BadRequestError as error:
                yield value, error.msg


@pytest.mark.parametrize(
    "params",
    [
        pytest.param(params, id=params.__name__)
        for params in dict.fromkeys(route.operation.params for route in ROUTES)
    ],
)
def test_message_names_only_parts_of_the_request(params: type[Params]) -> None:
    known = declared_keys(params)
    for value, message in refusals(params):
        assert set(STEP.findall(message)) <= known | set(keys_of(value)), message
        assert not INTERNAL.search(message), message
