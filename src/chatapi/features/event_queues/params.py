"""Parameters of the event queue endpoints."""

from typing import Annotated, Any, Literal

from pydantic import Field

from chatapi.core.ids import MAX_ID
from chatapi.wire.params import Params

EventTypes = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=200)]
NarrowTerm = list[Any] | dict[str, Any]


class RegisterParams(Params):
    """SPEC 4, POST /register: what the client wants to know now and to be told later."""

    apply_markdown: bool = False
    client_gravatar: bool = True
    include_subscribers: Literal["true", "false", "partial"] = "false"
    slim_presence: bool = False
    presence_history_limit_days: Annotated[int, Field(ge=0, le=100_000)] | None = None
    event_types: EventTypes | None = None
    fetch_event_types: EventTypes | None = None
    all_public_streams: bool = False
    client_capabilities: Annotated[dict[str, Any], Field(max_length=100)] | None = None
    narrow: Annotated[list[NarrowTerm], Field(max_length=100)] | None = None
    idle_queue_timeout: Annotated[int, Field(ge=1, le=MAX_ID)] | Literal["mobile"] | None = None


class GetEventsParams(Params):
    """GET /events: the events after the last one the client has."""

    queue_id: Annotated[str, Field(max_length=200)]
    last_event_id: Annotated[int, Field(ge=-1, le=MAX_ID)] | None = None
    dont_block: bool = False


class DeleteQueueParams(Params):
    """DELETE /events: the client is done with its queue."""

    queue_id: Annotated[str, Field(max_length=200)]
