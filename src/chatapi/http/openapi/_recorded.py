"""Examples that were recorded from the running service: `python3 dev.py examples`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson

EXAMPLES_FOLDER = Path(__file__).parent / "examples"
_EVENTS = "events"

Example = dict[str, Any]


@cache
def operation_examples() -> Mapping[str, Example]:
    """By operation id: the `response` and the `request`, with its `path`, `query` and `body`."""
    found: dict[str, Example] = {}
    for path in sorted(EXAMPLES_FOLDER.glob("*.json")):
        if path.stem != _EVENTS:
            found.update(orjson.loads(path.read_bytes()))
    return found


def recorded_request(operation_id: str) -> Example:
    """The `path`, `query` and `body` of the recorded request, where it has them; else nothing."""
    request: Example = operation_examples().get(operation_id, {}).get("request", {})
    return request


@cache
def event_examples() -> Mapping[str, Example]:
    """By the name of the event's schema."""
    path = EXAMPLES_FOLDER / f"{_EVENTS}.json"
    examples: dict[str, Example] = orjson.loads(path.read_bytes()) if path.exists() else {}
    return examples
