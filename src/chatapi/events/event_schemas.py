"""Events in the OpenAPI document: a type for each of them, and the union of all."""

import inspect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from chatapi.core.ids import EventId
from chatapi.events.event import Event, registry
from chatapi.wire.docstrings import attribute_docstrings

_OURS = "chatapi."
_ID = Annotated[EventId, Field(description="Grows with every event of a queue.")]


class HeartbeatEvent(TypedDict):
    """Nothing happened while the poll waited; it has the id of the last event before it."""

    id: EventId
    type: Literal["heartbeat"]


def client_events() -> Sequence[type[Event]]:
    """Every kind of event that a client can receive, by name; heartbeats are in no log."""
    ours = [event for _, event in sorted(registry.items()) if event.__module__.startswith(_OURS)]
    return [event for event in ours if not event.is_internal]


def event_type(event: type[Event]) -> Any:  # noqa: ANN401 (a TypedDict class)
    """The type of an event as clients receive it; `type` and `op` are constants."""
    keys: dict[str, Any] = {"id": _ID, "type": Literal[event.type]}
    if event.op is not None:
        keys["op"] = Literal[event.op]
    described = TypedDict(_schema_name(event.name()), {**keys, **_keys(event)})  # type: ignore[misc]  # made from data
    # Further paragraphs are for readers of the code.
    described.__doc__ = inspect.cleandoc(event.__doc__ or "").partition("\n\n")[0]
    return described


def _keys(event: type[Event]) -> Mapping[str, Any]:
    """The types of the keys that clients receive beside `id`, `type` and `op`."""
    if event.shape is not None:
        hints = get_type_hints(event.shape, include_extras=True)
        required = set(getattr(event.shape, "__required_keys__", ()))
        remarks = attribute_docstrings(event.shape, dict)
    else:
        all_hints = get_type_hints(event, include_extras=True)
        hints = {name: all_hints[name] for name in event.wire_fields()}
        required = {name for name in hints if event.model_fields[name].is_required()}
        remarks = attribute_docstrings(event, BaseModel)
    return {
        name: _key(hint, remarks.get(name), is_required=name in required)
        for name, hint in hints.items()
    }


def _key(hint: Any, remark: str | None, *, is_required: bool) -> Any:  # noqa: ANN401 (a type)
    if get_origin(hint) in {Required, NotRequired}:
        (hint,) = get_args(hint)
    described: Any = Annotated[hint, Field(description=remark)]
    return described if is_required else NotRequired[described]


class AnyEvent:
    """Documents a value as one of the events: `Annotated[Fragment, AnyEvent()]`.

    They are distinguished by `type`; those of one type, which is then a union of its own, by `op`.
    """

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source
        by_type: defaultdict[str, dict[str, CoreSchema]] = defaultdict(dict)
        for event in client_events():
            by_type[event.type][event.op or ""] = handler.generate_schema(event_type(event))
        by_type["heartbeat"][""] = handler.generate_schema(HeartbeatEvent)
        return _union("type", "", {name: _of_type(name, ops) for name, ops in by_type.items()})


def _of_type(name: str, by_op: dict[str, CoreSchema]) -> CoreSchema:
    return next(iter(by_op.values())) if len(by_op) == 1 else _union("op", name, by_op)


def _union(key: str, name: str, choices: dict[str, CoreSchema]) -> CoreSchema:
    return core_schema.tagged_union_schema(choices, key, ref=f"{__name__}.{_schema_name(name)}:0")


def _schema_name(name: str) -> str:
    """`realm_user/add` becomes `RealmUserAddEvent`."""
    return name.title().replace("_", "").replace("/", "") + "Event"
