"""The page about all events that clients can receive."""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from chatapi.events.event import Event, registry
from chatapi.features.registry import load_from_features
from chatapi.http.route import FeatureRouter

Schema = dict[str, Any]

_INTRODUCTION = """\
# Events

Written by `python3 dev.py reference`; a test fails when this page is out of date.

`POST /register` makes a queue, `GET /events` reads it. Every event has an `id` (it only grows;
pass the last one you have as `last_event_id`), a `type` and, where shown, an `op`. The keys below
come beside these. A poll that has nothing to tell ends with one event of the type `heartbeat`,
whose `id` is that of the last event before it.
"""
_OURS = "chatapi."
_EPHEMERAL = "Only for those who are listening now: it is not kept and not replayed.\n"


def events_page() -> str:
    """Generate the page of all events that clients can receive, by name."""
    # Events are registered when the features that emit them are imported.
    list(load_from_features("router", FeatureRouter))
    ours = [event for _, event in sorted(registry.items()) if event.__module__.startswith(_OURS)]
    return "\n".join([_INTRODUCTION, *(_section(event) for event in ours if not event.is_internal)])


def _section(event: type[Event]) -> str:
    op = "" if event.op is None else f', `op` "{event.op}"'
    lines = [f'## `type` "{event.type}"{op}', "", _first_sentence(event), ""]
    if not event.is_logged:
        lines += [_EPHEMERAL]
    body, schema = _schema_of(event)
    rows = [
        f"| `{name}` | {_type_of(part, schema)} | {'yes' if is_there else 'sometimes'} |"
        for name, part, is_there in _keys(body, schema)
    ]
    if rows:
        lines += ["| Key | Type | There |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _schema_of(event: type[Event]) -> tuple[Schema, Schema]:
    """The keys clients receive, and the schema that their references point into."""
    if event.shape is not None:
        schema = TypeAdapter(event.shape).json_schema(mode="serialization")
        return schema, schema
    schema = event.model_json_schema(mode="serialization")
    return _without_server_fields(event, schema), schema


def _first_sentence(event: type[Event]) -> str:
    return (event.__doc__ or "").strip().partition("\n\n")[0]


def _without_server_fields(event: type[Event], schema: Schema) -> Schema:
    properties = schema.get("properties", {})
    kept = {name: properties[name] for name in event.wire_fields()}
    return {
        "properties": kept,
        "required": [name for name in kept if event.model_fields[name].is_required()],
    }


def _keys(part: Schema, root: Schema, prefix: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """Yields the keys of an object and of nested objects, with dots between the levels."""
    required = part.get("required", [])
    for name, value in part.get("properties", {}).items():
        yield prefix + name, value, name in required
        yield from _keys(_resolve(value, root), root, f"{prefix}{name}.")


def _resolve(part: Schema, root: Schema) -> Schema:
    """Follow a reference, and descend into lists."""
    if "$ref" in part:
        found: Schema = root["$defs"][part["$ref"].rpartition("/")[2]]
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
