"""A waiting poll whose response is sent as soon as there is an event, before its task goes on."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

import structlog
from typing_extensions import override

from chatapi.events.entry import Entry, Piece
from chatapi.events.feed import Feed, Waiter
from chatapi.events.live_queue import LiveQueue, Reader

log = structlog.get_logger()


class PollConnection(Protocol):
    """What a poll that waits knows of the request it belongs to."""

    @property
    def waited(self) -> float:
        """For how many seconds the request has waited already."""

    async def is_disconnected(self) -> bool: ...

    def respond(self, pieces: Sequence[Piece]) -> bool:
        """Send the response; returns False if only the task of the poll can do that."""


class WaitingPoll(Waiter):
    """Responds with a single new event by itself, and leaves all else to the task of the poll.

    Most polls end with one event. To wake hundreds of tasks for it, and let each look for what is
    new, takes several times as long as sending the responses.
    """

    __slots__ = ("_connection", "_feed", "_is_served", "_queue", "_reader")

    responds: ClassVar[bool] = True

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
    def respond_with(self, entry: Entry) -> None:
        if self.is_responded or self.ended.done():
            return
        try:
            if self._is_all(entry):
                self.is_responded = self._connection.respond(entry.encoded_for(self.view))
        except Exception:
            # The others must get theirs; the task of this poll responds with the error.
            log.exception("response_not_sent", queue_id=self.queue_id)
        if self.is_responded:
            self._feed.remove_waiter(self)
            self._feed.measure_woken()
        else:
            self.wake()

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
