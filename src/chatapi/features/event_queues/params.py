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

    apply_markdown: bool = False
    """Whether message content comes as HTML instead of Markdown, here and in events."""
    client_gravatar: bool = True
    """Whether the client computes the addresses of Gravatar pictures itself; `avatar_url` is null
    for those."""
    include_subscribers: Literal["true", "false", "partial"] = "false"
    """Whether channels come with their subscribers; `partial` for only some of them in large
    channels."""
    slim_presence: bool = False
    """Whether presence is keyed by user id instead of email."""
    presence_history_limit_days: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None, examples=[14]
    )
    """Users who were last seen longer ago than this many days are left out of `presences`."""
    event_types: EventTypes | None = None
    """Types of events that the queue receives, such as `message`; all if left out."""
    fetch_event_types: EventTypes | None = Field(default=None, examples=[["realm_user"]])
    """Types whose state is in the response; those of `event_types` if left out. An empty list
    fetches no state."""
    all_public_streams: bool = False
    """Whether the queue receives messages of all public channels, subscribed or not."""
    client_capabilities: Annotated[dict[str, Any], Field(max_length=100)] | None = None
    """Names of newer forms that the client understands, with true: `archived_channels`,
    `bulk_message_deletion`, `empty_topic_name`, `include_deactivated_groups`,
    `individual_emoji_changes`, `simplified_presence_events`, `stream_typing_notifications`,
    `user_avatar_url_field_optional`, `user_settings_object` and others. Unknown ones are ignored.
    """
    narrow: NarrowParam | None = Field(default=None, examples=[[["channel", "general"]]])
    """Restricts `message` events to those that match, by terms that can be decided for a new
    message alone."""
    idle_queue_timeout: Annotated[
        Annotated[int, Field(ge=1, le=MAX_ID)] | Literal["mobile"] | None, JsonOrString()
    ] = Field(default=None, examples=[600])
    """Seconds without a request after which the queue expires; `mobile` for the longest time the
    server allows."""


class GetEventsParams(Params):
    """GET /events: the events after the last one the client has."""

    queue_id: QueueIdText
    """The queue to read, from the response of `POST /register`."""
    last_event_id: Annotated[int, Field(ge=-1, le=MAX_ID)] | None = None
    """The id of the last event you have: it and all before it are deleted from the queue. From the
    last event, or at first from `POST /register`; -1 if you have none."""
    dont_block: bool = False
    """Whether to respond at once, with an empty list if nothing happened."""


class DeleteQueueParams(Params):
    """DELETE /events: the client no longer needs its queue."""

    queue_id: QueueIdText
    """The queue that is no longer needed, from the response of `POST /register`."""
