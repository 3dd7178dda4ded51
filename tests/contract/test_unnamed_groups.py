"""Every parameter that takes an unnamed group refuses one with more entries than the limit.

`test_schemathesis.py` does not try it: a permission is one of dozens of parameters alike.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from chatapi.core.errors import BadRequestError
from chatapi.wire.params import Params
from tests.support.client import encode_form
from tests.support.documented_responses import service_document
from tests.support.routes import ROUTES

LISTS = ("direct_members", "direct_subgroups")
LIMIT = 10_000
NO_GROUP: dict[str, list[int]] = {name: [] for name in LISTS}


def places(described: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Where a schema of the document has an unnamed group: the names of the members to it."""
    reference = described.get("$ref", "").rpartition("/")[2]
    if reference == "UnnamedGroup":
        yield ()
    elif reference:
        yield from places(service_document()["components"]["schemas"][reference])
    for member in described.get("anyOf", ()):
        yield from places(member)
    for key, member in described.get("properties", {}).items():
        yield from ((key, *rest) for rest in places(member))


def value_at(place: tuple[str, ...], group: dict[str, list[int]]) -> dict[str, Any]:
    """A parameter whose value is the group, or a change to it or from it."""
    name, *rest = place
    if not rest:
        return {name: group}
    return {name: {"new": NO_GROUP, rest[0]: group}}


PLACES = {
    params: list(places(service_document()["components"]["schemas"].get(params.__name__, {})))
    for params in dict.fromkeys(route.operation.params for route in ROUTES)
}


def refusal(params: type[Params], values: dict[str, Any]) -> str:
    try:
        params.read(encode_form(values))
    except BadRequestError as error:
        return error.msg
    return ""


@pytest.mark.parametrize(
    "params",
    [pytest.param(params, id=params.__name__) for params, found in PLACES.items() if found],
)
def test_one_entry_more_than_the_limit_is_refused(params: type[Params]) -> None:
    for place in PLACES[params]:
        for name in LISTS:
            for count, is_refused in ((LIMIT, False), (LIMIT + 1, True)):
                group = {**NO_GROUP, name: [1] * count}
                told = refusal(params, value_at(place, group))
                expected = f'["{name}"] has too many entries (limit: {LIMIT})'
                assert told.endswith(expected) == is_refused, (place, name, count, told)
