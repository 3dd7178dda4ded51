"""The page about all events that clients can receive."""

from collections.abc import Iterator
from typing import Any

from chatapi.events.event import Event
from chatapi.events.event_schemas import client_events, schema_name
from chatapi.http.openapi import build_document
from chatapi.main import FEATURES

Schema = dict[str, Any]

_INTRODUCTION = """\
# Events

Written by `python3 dev.py reference`; a test fails when this page is out of date.

`POST /register` makes a queue, `GET /events` reads it. Every event has an `id` (it only grows;
pass the last one you have as `last_event_id`), a `type` and, where shown, an `op`. The keys below
come beside these. A poll that has nothing to tell ends with one event of the type `heartbeat`,
which has nothing but an `id`.
"""
_HEAD = {"id", "type", "op"}
_EPHEMERAL = "Only for those who are listening now: it is not kept and not replayed.\n"


def events_page() -> str:
    """Generate the page of all events that clients can receive, by name."""
    schemas = build_document(FEATURES)["components"]["schemas"]
    sections = [_section(event, schemas) for event in client_events()]
    return "\n".join([_INTRODUCTION, *sections])


def _section(event: type[Event], schemas: Schema) -> str:
    op = "" if event.op is None else f', `op` "{event.op}"'
    lines = [f'## `type` "{event.type}"{op}', "", _first_sentence(event), ""]
    if not event.is_logged:
        lines += [_EPHEMERAL]
    rows = [
        f"| `{name}` | {_type_of(part, schemas)} | {'yes' if is_there else 'sometimes'}"
        f" | {part['description'].replace('|', '&#124;')} |"
        for name, part, is_there in _keys(schemas[schema_name(event.name())], schemas)
        if name not in _HEAD
    ]
    if rows:
        lines += ["| Key | Type | There | Meaning |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _first_sentence(event: type[Event]) -> str:
    return (event.__doc__ or "").strip().partition("\n\n")[0]


def _keys(part: Schema, root: Schema, prefix: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """Yields the keys of an object and of nested objects, with dots between the levels."""
    required = part.get("required", [])
    for name, value in part.get("properties", {}).items():
        yield prefix + name, value, name in required
        yield from _keys(_resolve(value, root), root, f"{prefix}{name}.")


def _resolve(part: Schema, root: Schema) -> Schema:
    """Follow a reference, and descend into lists."""
    if "$ref" in part:
        found: Schema = root[part["$ref"].rpartition("/")[2]]
        return found
    return _resolve(part["items"], root) if "items" in part else part


def _type_of(part: Schema, root: Schema) -> str:
    match part:
        case {"$ref": _}:
            return _type_of(_resolve(part, root), root)
        case {"anyOf": choices}:
            return " or ".join(_type_of(choice, root) for choice in choices)
        case {"enum": values}:
            return "one of " + ", ".join(f"`{value}`" for value in values)
        case {"type": "array", "items": item}:
            return f"list of {_type_of(item, root)}"
        case {"type": "object", "additionalProperties": {} as value}:
            return f"object of {_type_of(value, root)}"
        case _:
            return str(part.get("const", part.get("type", "any")))
