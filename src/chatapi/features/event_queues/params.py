"""Parameters of the event queue endpoints."""

from typing import Annotated, Any, Literal

from pydantic import Field

from chatapi.core.ids import MAX_ID
from chatapi.narrow import NarrowParam
from chatapi.wire.params import JsonOrString, Params

EventTypes = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=200)]
QueueIdText = Annotated[
    str, Field(max_length=200, description="From the answer of `POST /register`.")
]


class RegisterParams(Params):
    """SPEC 4, POST /register: the initial state to fetch and the events to receive later."""

    apply_markdown: bool = Field(
        default=False, description="Whether message content comes as HTML instead of Markdown."
    )
    client_gravatar: bool = Field(
        default=True, description="Whether the client computes the addresses of Gravatar pictures."
    )
    include_subscribers: Literal["true", "false", "partial"] = Field(
        default="false", description="Whether channels come with their subscribers."
    )
    slim_presence: bool = Field(
        default=False, description="Whether presence is keyed by user id instead of email."
    )
    presence_history_limit_days: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None, description="How far back presence is told, in days.", examples=[14]
    )
    event_types: EventTypes | None = Field(
        default=None,
        description="Types of events the queue receives; all if left out.",
        examples=[["message", "realm_user"]],
    )
    fetch_event_types: EventTypes | None = Field(
        default=None,
        description="Types whose state is in the answer; those of `event_types` if left out.",
        examples=[["realm_user"]],
    )
    all_public_streams: bool = Field(
        default=False,
        description="Whether messages of all public channels come, subscribed or not.",
    )
    client_capabilities: Annotated[dict[str, Any], Field(max_length=100)] | None = Field(
        default=None,
        description="Which newer forms of answers the client understands.",
        examples=[{"notification_settings_null": True}],
    )
    narrow: NarrowParam | None = Field(
        default=None,
        description="Restricts `message` events, by terms that a new message alone can answer.",
        examples=[[["channel", "general"]]],
    )
    idle_queue_timeout: Annotated[
        Annotated[int, Field(ge=1, le=MAX_ID)] | Literal["mobile"] | None, JsonOrString()
    ] = Field(
        default=None,
        description="Seconds without a call after which the queue expires; `mobile`: the longest.",
        examples=[600],
    )


class GetEventsParams(Params):
    """GET /events: the events after the last one the client has."""

    queue_id: QueueIdText
    last_event_id: Annotated[int, Field(ge=-1, le=MAX_ID)] | None = Field(
        default=None,
        description="The last event the client has; it and all before it are dropped.",
        examples=[-1],
    )
    dont_block: bool = Field(
        default=False, description="Whether to answer at once, with an empty list if need be."
    )


class DeleteQueueParams(Params):
    """DELETE /events: the client no longer needs its queue."""

    queue_id: QueueIdText
