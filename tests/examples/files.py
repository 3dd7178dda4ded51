"""The files of examples: one for each tag of the document, and one for all events."""

from collections import defaultdict
from typing import Any

import orjson

from chatapi.http.openapi import EXAMPLES_FOLDER
from tests.examples.recorder import Recorder
from tests.support.documented_responses import service_document

EVENTS = "events"


def tags_by_operation() -> dict[str, str]:
    return {
        operation["operationId"]: operation["tags"][0]
        for methods in service_document()["paths"].values()
        for operation in methods.values()
    }


def write_examples(recorded: Recorder) -> None:
    """Replace all files, in the order of the document."""
    contents: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for operation, tag in tags_by_operation().items():
        if operation in recorded.operations:
            contents[tag.lower().replace(" ", "-")][operation] = recorded.operations[operation]
    contents[EVENTS] = dict(sorted(recorded.events.items()))
    EXAMPLES_FOLDER.mkdir(exist_ok=True)
    for old in EXAMPLES_FOLDER.glob("*.json"):
        old.unlink()
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    for name, examples in contents.items():
        path = EXAMPLES_FOLDER / f"{name}.json"
        path.write_bytes(orjson.dumps(examples, option=options))
