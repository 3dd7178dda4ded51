"""Response payloads of the event queue endpoints."""

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

import orjson
from typing_extensions import TypedDict

from chatapi.events.entry import Piece
from chatapi.events.event_schemas import AnyEvent
from chatapi.features.state import all_sections
from chatapi.wire.docstrings import described_hints
from chatapi.wire.version import VersionPayload

EncodedEvent = Annotated[orjson.Fragment, AnyEvent()]
"""An event that was encoded once for all clients that receive the same."""


class EventsPayload(TypedDict):
    """The events since the last one the client has."""

    events: list[EncodedEvent]
    """The events in order, one `heartbeat` if nothing happened while the request waited. Ignore
    types you do not know."""


def events_payload(pieces: Sequence[Piece]) -> EventsPayload:
    return {"events": [orjson.Fragment(piece.json) for piece in pieces]}


class QueuePayload(VersionPayload):
    """The keys of POST /register that do not depend on `fetch_event_types`."""

    queue_id: str | None
    """Pass it to `GET /events`. Null for visitors without an account, who get no events."""
    last_event_id: int
    """The state is as of this event: pass it as `last_event_id` of the first `GET /events`."""
    idle_queue_timeout_secs: NotRequired[int]
    """Seconds without a request after which the queue expires and `GET /events` fails with
    `BAD_EVENT_QUEUE_ID`."""


def register_payload() -> type:
    """The type of the response: the queue's keys, and those of every section as optional ones."""
    own = described_hints(QueuePayload)
    required = QueuePayload.__required_keys__
    keys: dict[str, Any] = {
        name: hint if name in required else NotRequired[hint] for name, hint in own.items()
    }
    for section in all_sections():
        for name, hint in described_hints(section.payload).items():
            keys[name] = NotRequired[hint]
    payload = TypedDict("RegisterPayload", keys)  # type: ignore[misc]  # dynamic
    payload.__doc__ = "A new event queue, and the requested state as of the event it begins after."
    return payload
