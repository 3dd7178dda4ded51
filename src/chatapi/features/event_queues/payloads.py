"""Response payloads of the event queue endpoints."""

from typing import Annotated, Any, NotRequired, get_type_hints

import orjson
from typing_extensions import TypedDict

from chatapi.events.event_schemas import AnyEvent
from chatapi.features.state import all_sections
from chatapi.wire.version import VersionPayload

EncodedEvent = Annotated[orjson.Fragment, AnyEvent()]
"""An event that was encoded once for all clients that receive the same."""


class EventsPayload(TypedDict):
    """The events since the last one the client has."""

    events: list[EncodedEvent]


class QueuePayload(VersionPayload):
    """The keys of POST /register that do not depend on `fetch_event_types`."""

    queue_id: str | None
    """None for visitors without an account, who get no events."""
    last_event_id: int
    idle_queue_timeout_secs: NotRequired[int]
    """How long the queue waits for its client."""


def register_payload() -> type:
    """The type of the response: the queue's keys, and those of every section as optional ones."""
    keys: dict[str, Any] = dict(get_type_hints(QueuePayload, include_extras=True))
    for section in all_sections():
        for name, hint in get_type_hints(section.payload, include_extras=True).items():
            keys[name] = NotRequired[hint]
    return TypedDict("RegisterPayload", keys)  # type: ignore[operator,no-any-return]  # dynamic
