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
    """By operation id: the `response`, and the JSON body of the `request` if it has one."""
    found: dict[str, Example] = {}
    for path in sorted(EXAMPLES_FOLDER.glob("*.json")):
        if path.stem != _EVENTS:
            found.update(orjson.loads(path.read_bytes()))
    return found


@cache
def event_examples() -> Mapping[str, Example]:
    """By the name of the event's schema."""
    path = EXAMPLES_FOLDER / f"{_EVENTS}.json"
    examples: dict[str, Example] = orjson.loads(path.read_bytes()) if path.exists() else {}
    return examples
