"""Polls that wait for an event, and the pass that sends it to all of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

import structlog

from chatapi.core.cooperative import yield_to_event_loop
from chatapi.core.ids import QueueId
from chatapi.events.client import ClientView
from chatapi.events.entry import Entry
from chatapi.wire.encoded import SharedBodies

log = structlog.get_logger()
_RESPONSES_IN_A_ROW = 100
"""Some milliseconds' work; then other requests are served."""


class WaitEnd(Enum):
    """Why a poll does not wait any longer."""

    NEWS = auto()
    """There may be something for it."""
    TIMEOUT = auto()
    RESPONSE = auto()
    """Its response has been sent."""


class PollResponse(Protocol):
    """A response that is ready to be sent, by `write` and then `finish`; nothing runs between."""

    def write(self) -> None: ...

    def finish(self) -> None:
        """Do what the client does not wait for."""


@dataclass(eq=False, slots=True)
class Waiter:
    """A poll that waits for an event."""

    view: ClientView
    queue_id: QueueId
    ended: asyncio.Future[WaitEnd] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    is_responded: bool = False

    def wake(self) -> None:
        self._end(WaitEnd.NEWS)

    def give_up(self) -> None:
        self._end(WaitEnd.TIMEOUT)

    def _end(self, why: WaitEnd) -> None:
        if not self.ended.done():
            self.ended.set_result(WaitEnd.RESPONSE if self.is_responded else why)

    def prepare(self, entry: Entry, bodies: SharedBodies) -> PollResponse | None:
        """Prepare the response if the entry is for the reader, or wake the poll to do it."""
        del bodies
        if entry.is_for(self.view):
            self.wake()
        return None


def _prepare(waiter: Waiter, entry: Entry, bodies: SharedBodies) -> PollResponse | None:
    try:
        return waiter.prepare(entry, bodies)
    except Exception:
        # The others must get theirs; the task of this poll responds with the error.
        log.exception("response_not_prepared", queue_id=waiter.queue_id)
        waiter.wake()
        return None


async def respond(entry: Entry, waiters: Sequence[Waiter]) -> None:
    """Send an entry to those polls it is for, and only then let these polls go on and end.

    Other requests are served in between. Responses are prepared first and then written in one go:
    a client, or a proxy on the same machine, that wakes up for the first of them reads the others
    without falling asleep in between, and each wake-up would take longer than a write.
    """
    bodies: SharedBodies = {}
    responded: list[Waiter] = []
    for start in range(0, len(waiters), _RESPONSES_IN_A_ROW):
        prepared: list[PollResponse] = []
        for waiter in waiters[start : start + _RESPONSES_IN_A_ROW]:
            response = _prepare(waiter, entry, bodies)
            if response is not None:
                prepared.append(response)
                responded.append(waiter)
        for response in prepared:
            response.write()
        for response in prepared:
            response.finish()
        await yield_to_event_loop()
    for start in range(0, len(responded), _RESPONSES_IN_A_ROW):
        for waiter in responded[start : start + _RESPONSES_IN_A_ROW]:
            waiter.wake()
        await yield_to_event_loop()
