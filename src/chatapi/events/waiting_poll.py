"""A waiting poll whose response is sent as soon as there is an event, before its task goes on."""

from collections.abc import Callable
from typing import Protocol

import structlog
from msgspec import Struct
from typing_extensions import override

from chatapi.events.entry import Entry, Piece
from chatapi.events.feed import Feed
from chatapi.events.live_queue import LiveQueue, Reader
from chatapi.events.waiter import PollResponse, Waiter
from chatapi.wire.encoded import SharedBodies

log = structlog.get_logger()


class PollConnection(Protocol):
    """What a poll that waits knows of the request it belongs to."""

    @property
    def waited(self) -> float:
        """For how many seconds the request has waited already."""

    async def is_disconnected(self) -> bool: ...

    def prepare(self, pieces: tuple[Piece, ...], bodies: SharedBodies) -> PollResponse | None:
        """Prepare the response; returns None if only the task of the poll can send it."""


class WaitingPoll(Waiter):
    """Responds with a single new event by itself, and leaves all else to the task of the poll.

    Most polls end with one event. To wake hundreds of tasks for it, and let each look for what is
    new, takes several times as long as sending the responses.
    """

    __slots__ = ("_connection", "_feed", "_is_served", "_queue", "_reader")

    def __init__(
        self,
        queue: LiveQueue,
        reader: Reader,
        feed: Feed,
        connection: PollConnection,
        is_served: Callable[[Reader, LiveQueue], bool],
    ) -> None:
        super().__init__(queue.view_of(reader), queue.id)
        self._queue = queue
        self._reader = reader
        self._feed = feed
        self._is_served = is_served
        self._connection = connection

    @override
    def prepare(self, entry: Entry, bodies: SharedBodies) -> PollResponse | None:
        if self.is_responded or self.ended.done():
            return None
        if not entry.is_for(self.view):
            return None
        response = None
        if self._is_all(entry):
            response = self._connection.prepare(entry.encoded_for(self.view), bodies)
        if response is None:
            self.wake()
            return None
        return _Response(self, response)

    def _is_all(self, entry: Entry) -> bool:
        """Whether the entry is all there is for the poll, and the reader may still receive it.

        What came before it since the poll began to wait was not for the reader, or would have woken
        the poll.
        """
        feed = self._feed
        return (
            entry.number == feed.position
            and self._queue.ephemeral_seen == feed.ephemeral_seen
            # Which users others see can change with events that they do not receive.
            and self.view.sees_all_users
            and entry.is_complete
            and entry.event.count_for(self.view) == 1
            and self._is_served(self._reader, self._queue)
        )

    def leave(self) -> None:
        """Wait no longer for other events."""
        self._feed.remove_waiter(self)
        self._feed.measure_woken()


class _Response(Struct, frozen=True):
    """The response of a poll, which ends its wait."""

    poll: WaitingPoll
    response: PollResponse

    def write(self) -> None:
        # Nothing else can be sent, even if this fails.
        self.poll.is_responded = True
        self._run(self.response.write)

    def finish(self) -> None:
        self._run(self.response.finish)
        self.poll.leave()

    def _run(self, step: Callable[[], None]) -> None:
        """Run a step; the others must get theirs if it fails."""
        try:
            step()
        except Exception:
            log.exception("response_not_sent", queue_id=self.poll.queue_id)
