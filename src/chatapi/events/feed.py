"""The state of one realm in this process: its position, recent entries and waiting polls."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import ClassVar

from chatapi.core.clock import stopwatch
from chatapi.core.cooperative import yield_to_event_loop
from chatapi.core.ids import EventId, EventNumber, MessageId, QueueId, RealmId, UserId
from chatapi.core.measurements import Measurements
from chatapi.events.cache_tags import CacheTag, RealmTag, UserTag
from chatapi.events.client import ClientView
from chatapi.events.entry import Entry
from chatapi.events.event import Erased
from chatapi.events.event_ids import id_behind, id_of

_RECENT_ENTRIES = 1_000
_RECENT_EPHEMERAL = 200
_RESPONSES_IN_A_ROW = 50
"""Some milliseconds' work; then other requests are served."""


class WaitEnd(Enum):
    """Why a poll does not wait any longer."""

    NEWS = auto()
    """There may be something for it."""
    TIMEOUT = auto()
    RESPONSE = auto()
    """Its response has been sent."""


@dataclass(eq=False, slots=True)
class Waiter:
    """A poll that waits for an event."""

    responds: ClassVar[bool] = False
    """Whether `respond_with` may send the response while the poll waits."""

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

    def respond_with(self, entry: Entry) -> None:
        """Send the response with an entry that is for the reader, or wake the poll to do it."""
        del entry
        self.wake()


async def _respond(entry: Entry, waiters: Sequence[Waiter]) -> None:
    """Send the responses of polls with an entry, and only then let the polls go on and end.

    Other requests are served in between.
    """
    for number, waiter in enumerate(waiters, start=1):
        waiter.respond_with(entry)
        if number % _RESPONSES_IN_A_ROW == 0:
            await yield_to_event_loop()
    for number, waiter in enumerate(waiters, start=1):
        waiter.wake()
        if number % _RESPONSES_IN_A_ROW == 0:
            await yield_to_event_loop()


class Feed:
    """Takes entries in the order of their numbers, without gaps and without repeats."""

    def __init__(self, realm_id: RealmId, measurements: Measurements) -> None:
        self._measurements = measurements
        self.realm_id = realm_id
        self.position: EventNumber | None = None
        """The number of the last entry taken; None until the clock was read."""
        self.started_at = EventNumber(0)
        """The position from which on no entry was missed."""
        self.foreign_entries = 0
        """How many entries were taken that this process did not publish itself."""
        self.taken_at = 0.0
        """When this process last took an event, on the clock of `stopwatch`."""
        self.healing = asyncio.Lock()
        self.ephemeral_seen = 0
        self._last_ephemeral_id = EventId(0)
        self._recent: deque[Entry] = deque(maxlen=_RECENT_ENTRIES)
        self._ephemeral: deque[tuple[int, Entry]] = deque(maxlen=_RECENT_EPHEMERAL)
        self._early: dict[EventNumber, Entry] = {}
        self._waiters: defaultdict[UserId, set[Waiter]] = defaultdict(set)
        self._responding: set[asyncio.Task[None]] = set()

    def start_at(self, position: EventNumber) -> list[Entry]:
        """Start at a position, or start again after entries that were not read left the log."""
        self.position = self.started_at = position
        self._recent.clear()
        return self._take_early()

    @property
    def is_behind(self) -> bool:
        """Whether entries arrived whose predecessors are missing."""
        return bool(self._early)

    def take(self, entries: tuple[Entry, ...] | list[Entry]) -> list[Entry]:
        """Accept entries that may repeat and be out of order; return the new ones, in order."""
        for entry in entries:
            if self.position is None or entry.number > self.position:
                self._early[entry.number] = entry
        return self._take_early()

    def _take_early(self) -> list[Entry]:
        taken: list[Entry] = []
        if self.position is None:
            return taken
        self.taken_at = stopwatch()
        while (entry := self._early.pop(EventNumber(self.position + 1), None)) is not None:
            self.position = entry.number
            if erased := entry.event.erased_messages():
                self._erase(frozenset(erased))
            self._recent.append(entry)
            taken.append(entry)
        for number in [number for number in self._early if number <= self.position]:
            del self._early[number]
        return taken

    def _erase(self, message_ids: frozenset[MessageId]) -> None:
        """Remove the texts of deleted messages from memory, as they were removed from the log."""
        for place, entry in enumerate(self._recent):
            if entry.event.quoted_message() in message_ids:
                self._recent[place] = replace(entry, event=Erased())

    def take_ephemeral(self, entry: Entry) -> None:
        """Deliver an ephemeral entry, with an id behind the feed's position.

        So a client that has it does not skip logged events it does not have. If no event was
        logged for very long, no such id is left; the entry is dropped then.
        """
        number = self.position or EventNumber(0)
        ephemeral_id = id_behind(max(self._last_ephemeral_id, id_of(number)))
        if ephemeral_id is None:
            return
        self._last_ephemeral_id = ephemeral_id
        stamped = replace(entry, number=number, ephemeral_id=ephemeral_id)
        self.ephemeral_seen += 1
        self.taken_at = stopwatch()
        self._ephemeral.append((self.ephemeral_seen, stamped))
        self._wake_readers_of(stamped)

    def notify(self, entry: Entry) -> None:
        """Wake the polls that an entry concerns."""
        for tag in entry.cache_tags:
            if isinstance(tag, UserTag):
                # Their polls check whether and with which permissions they go on reading.
                self._wake_polls_of(tag.user_id)
        if ended := entry.event.ended_queues():
            self.wake_queues(ended)
        self._wake_readers_of(entry)

    def _wake_readers_of(self, entry: Entry) -> None:
        candidates = entry.audience.candidates()
        users = self._waiters.keys() if candidates is None else candidates
        responding: list[Waiter] = []
        for user_id in tuple(users):
            for waiter in self._waiters.get(user_id, ()):
                if not entry.is_for(waiter.view):
                    continue
                if waiter.responds:
                    responding.append(waiter)
                else:
                    waiter.wake()
        if responding:
            # Not now: the request that sent the event is responded to first.
            task = asyncio.create_task(_respond(entry, responding))
            self._responding.add(task)
            task.add_done_callback(self._responding.discard)

    def reaches_back_to(self, cursor: EventNumber) -> bool:
        """Whether all entries after the cursor are in memory."""
        if self.position is None:
            return False
        return cursor >= self.position - len(self._recent)

    def since(self, cursor: EventNumber) -> list[Entry]:
        """Return the entries after the cursor; the caller has checked `reaches_back_to`."""
        found: list[Entry] = []
        for entry in reversed(self._recent):
            if entry.number <= cursor:
                break
            found.append(entry)
        found.reverse()
        return found

    def may_have_changed(self, tags: Collection[CacheTag], since: EventNumber) -> bool:
        """Whether an event after `since` had one of the tags, or that is not known any more."""
        if not self.reaches_back_to(since):
            return True
        return any(
            tag in tags or isinstance(tag, RealmTag)
            for entry in self.since(since)
            for tag in entry.cache_tags
        )

    def ephemeral_since(self, seen: int) -> list[Entry]:
        return [entry for count, entry in self._ephemeral if count > seen]

    @property
    def waiting_polls(self) -> int:
        return sum(map(len, self._waiters.values()))

    def add_waiter(self, waiter: Waiter) -> None:
        self._waiters[waiter.view.user_id].add(waiter)

    def remove_waiter(self, waiter: Waiter) -> None:
        waiters = self._waiters[waiter.view.user_id]
        waiters.discard(waiter)
        if not waiters:
            del self._waiters[waiter.view.user_id]

    def measure_woken(self) -> None:
        """Measure how long a poll took from the last event to its turn."""
        self._measurements.poll_woken(stopwatch() - self.taken_at)

    def _wake_polls_of(self, user_id: UserId) -> None:
        for waiter in self._waiters.get(user_id, ()):
            waiter.wake()

    def wake_all(self) -> None:
        for waiters in self._waiters.values():
            for waiter in waiters:
                waiter.wake()

    def wake_queues(self, queue_ids: Collection[QueueId]) -> None:
        """Wake the polls that wait on any of these queues."""
        for waiters in self._waiters.values():
            for waiter in waiters:
                if waiter.queue_id in queue_ids:
                    waiter.wake()
