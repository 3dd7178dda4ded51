"""Events in the OpenAPI document: a type for each of them, and the union of all."""

import inspect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
)

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from chatapi.core.ids import EventId
from chatapi.events.event import Event, registry
from chatapi.wire.docstrings import described_hints

_OURS = "chatapi."
_ID = Annotated[
    EventId,
    Field(
        description="Grows with every event of a queue, with gaps. Pass the last one you have as"
        " `last_event_id`."
    ),
]
_TYPE = Field(description="What kind of thing the event is about; always this value here.")
_OP = Field(description="What happened to it; always this value here.")


class HeartbeatEvent(TypedDict):
    """Nothing happened while the poll waited: send the next one."""

    id: _ID
    type: Annotated[Literal["heartbeat"], _TYPE]


def client_events() -> Sequence[type[Event]]:
    """Every kind of event that a client can receive, by name; heartbeats are in no log."""
    ours = [event for _, event in sorted(registry.items()) if event.__module__.startswith(_OURS)]
    return [event for event in ours if not event.is_internal]


def event_type(event: type[Event]) -> Any:  # noqa: ANN401 (a TypedDict class)
    """The type of an event as clients receive it; `type` and `op` are constants."""
    keys: dict[str, Any] = {"id": _ID, "type": Annotated[Literal[event.type], _TYPE]}
    if event.op is not None:
        keys["op"] = Annotated[Literal[event.op], _OP]
    described = TypedDict(schema_name(event.name()), {**keys, **_keys(event)})  # type: ignore[misc]  # made from data
    # Further paragraphs are for readers of the code.
    described.__doc__ = inspect.cleandoc(event.__doc__ or "").partition("\n\n")[0]
    return described


def _keys(event: type[Event]) -> Mapping[str, Any]:
    """The types of the keys that clients receive beside `id`, `type` and `op`."""
    if event.shape is not None:
        hints = described_hints(event.shape)
        required = set(getattr(event.shape, "__required_keys__", ()))
    else:
        all_hints = described_hints(event)
        hints = {name: all_hints[name] for name in event.wire_fields()}
        required = {name for name in hints if event.model_fields[name].is_required()}
    return {name: hint if name in required else NotRequired[hint] for name, hint in hints.items()}


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
    return core_schema.tagged_union_schema(choices, key, ref=f"{__name__}.{schema_name(name)}:0")


def schema_name(name: str) -> str:
    """`realm_user/add` becomes `RealmUserAddEvent`."""
    return name.title().replace("_", "").replace("/", "") + "Event"
