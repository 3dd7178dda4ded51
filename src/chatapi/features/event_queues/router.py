"""Endpoints of event queues."""

import re
from collections.abc import Awaitable, Mapping
from typing import Any

from chatapi.auth.guards import LoggedIn, MaybeAnonymous, Poller
from chatapi.core.errors import BadEventQueueIdError
from chatapi.events.entry import Piece
from chatapi.features.event_queues.params import DeleteQueueParams, GetEventsParams, RegisterParams
from chatapi.features.event_queues.payloads import EventsPayload, events_payload, register_payload
from chatapi.features.event_queues.service import EventQueueService
from chatapi.features.event_queues.visitors import VisitorService
from chatapi.http.request import ApiRequest
from chatapi.http.responses import EventStream, prepare_at_once
from chatapi.http.route import FeatureRouter, raises
from chatapi.http.whole_responses import WholeResponse
from chatapi.narrow import BadNarrowError
from chatapi.wire.encoded import SharedBodies

repeatable = FeatureRouter("Event queues", stores_responses=False)
router = FeatureRouter("Event queues", "Learn what happens in the organization, as it happens.")

_EVENT_ID = re.compile(r"[0-9]{1,18}")


@repeatable.post(
    "/register",
    response_model=register_payload,
    responses=raises(BadNarrowError),
)
async def register_queue(ctx: MaybeAnonymous, params: RegisterParams) -> Mapping[str, Any]:
    """Register an event queue.

    Returns the state of the organization as the caller sees it and a queue that continues exactly
    from that state: no event between the two is missed or delivered twice. With a `narrow` the
    queue receives only messages in it, and all other events as usual. A repeated request creates
    another queue, also with the same `Idempotency-Key`. Visitors without an account get the state
    of what is web-public, in organizations with public access, and no queue.
    """
    user_ctx = ctx.of_user
    if user_ctx is None:
        return await VisitorService(ctx).register(params)
    return await EventQueueService(user_ctx).register(params)


@router.get("/events", responses=raises(BadEventQueueIdError))
def get_events(
    ctx: Poller, params: GetEventsParams, request: ApiRequest
) -> Awaitable[EventsPayload | EventStream]:
    """Get events from an event queue.

    Waits until there is at least one event, at most about 50 seconds (then one `heartbeat` event is
    returned). Pass the id of the last event you have as `last_event_id`; events are kept until
    then, so a call that was cut off can simply be repeated. Then they are deleted: a call with an
    older id continues after the last event you acknowledged. With the header `Accept:
    text/event-stream` the same events are sent as server-sent events.
    """
    # Not a coroutine itself, which a waiting poll would keep in memory.
    if request.accepts("text/event-stream"):
        return _follow_events(ctx, params, request)
    return EventQueueService(ctx).read(params, _PolledRequest(request))


async def _follow_events(ctx: Poller, params: GetEventsParams, request: ApiRequest) -> EventStream:
    resume_after = _EVENT_ID.fullmatch(request.header(b"last-event-id"))
    events = await EventQueueService(ctx).follow(
        params, int(resume_after[0]) if resume_after else None
    )
    return EventStream(events)


class _PolledRequest:
    """The request of a poll, as far as the queue knows it."""

    __slots__ = ("_request",)

    def __init__(self, request: ApiRequest) -> None:
        self._request = request

    @property
    def waited(self) -> float:
        return self._request.waited

    async def is_disconnected(self) -> bool:
        return await self._request.is_disconnected()

    def prepare(self, pieces: tuple[Piece, ...], bodies: SharedBodies) -> WholeResponse | None:
        """Prepare the response while the poll waits; None if the poll must respond itself."""
        return prepare_at_once(self._request, events_payload, pieces, bodies)


@router.delete("/events", responses=raises(BadEventQueueIdError))
async def delete_queue(ctx: LoggedIn, params: DeleteQueueParams) -> None:
    """Delete an event queue.

    Call it when a client ends, so that the server need not wait until the queue expires. Polls that
    wait for the queue end with `BAD_EVENT_QUEUE_ID`.
    """
    await EventQueueService(ctx).delete(params.queue_id)
