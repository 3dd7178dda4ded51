"""Paths that only the values in them tell apart, as `/a/{number}/c` and `/a/b/{number}` do.

The protocol of existing clients has some. docs/redocly.yaml switches the linter's rule about them
off, so they are listed here.
"""

from itertools import combinations
from typing import Any

import pytest

from tests.support.documented_responses import service_document

PATHS: dict[str, dict[str, Any]] = service_document()["paths"]
TOPICS = "/api/v1/users/me/{stream_id}/topics"
KNOWN = {
    (TOPICS, "/api/v1/users/me/subscriptions/{stream_id}"),
    (TOPICS, "/api/v1/users/me/muted_users/{muted_user_id}"),
    (TOPICS, "/api/v1/users/me/api_keys/{key_id}"),
    (TOPICS, "/api/v1/users/{user_id}/subscriptions/{stream_id}"),
}


def is_parameter(segment: str) -> bool:
    return segment.startswith("{")


def are_ambiguous(one: str, other: str) -> bool:
    """Whether each has a fixed word where the other has a parameter, and nothing else differs."""
    if one.count("/") != other.count("/"):
        return False
    pairs = list(zip(one.split("/"), other.split("/"), strict=True))
    if any(a != b and not is_parameter(a) and not is_parameter(b) for a, b in pairs):
        return False
    sides = {is_parameter(a) for a, b in pairs if is_parameter(a) != is_parameter(b)}
    return sides == {True, False}


def type_of(path: str, parameter: str) -> str:
    """The type of a path parameter, which all methods of the path declare alike."""
    operation = next(iter(PATHS[path].values()))
    declared = {each["name"]: each["schema"]["type"] for each in operation["parameters"]}
    return str(declared[parameter.strip("{}")])


def test_no_other_paths_are_ambiguous() -> None:
    found = {frozenset(pair) for pair in combinations(PATHS, 2) if are_ambiguous(*pair)}
    assert found == {frozenset(pair) for pair in KNOWN}


@pytest.mark.parametrize(("one", "other"), sorted(KNOWN))
def test_no_request_matches_both_paths(one: str, other: str) -> None:
    """A word stands where the other path takes a number."""
    for a, b in zip(one.split("/"), other.split("/"), strict=True):
        if is_parameter(a) and not is_parameter(b):
            assert (type_of(one, a), b.isdigit()) == ("integer", False)
            return
    raise AssertionError("nothing tells these paths apart")
