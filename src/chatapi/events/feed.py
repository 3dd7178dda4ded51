"""The state of one realm in this process: its position, recent entries and waiting polls."""

import asyncio
from collections import deque
from collections.abc import Collection
from dataclasses import replace

from chatapi.core.clock import stopwatch
from chatapi.core.ids import EventId, EventNumber, MessageId, QueueId, RealmId
from chatapi.core.measurements import Measurements
from chatapi.events.cache_tags import CacheTag, RealmTag, UserTag
from chatapi.events.entry import Entry
from chatapi.events.event import Erased
from chatapi.events.event_ids import id_behind, id_of
from chatapi.events.waiter import Waiter, respond
from chatapi.events.waiting_polls import WaitingPolls

_RECENT_ENTRIES = 1_000
_RECENT_EPHEMERAL = 200


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
        self._polls = WaitingPolls()
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
                self._polls.wake_of(tag.user_id)
        if ended := entry.event.ended_queues():
            self.wake_queues(ended)
        self._wake_readers_of(entry)

    def _wake_readers_of(self, entry: Entry) -> None:
        waiters = self._polls.candidates(entry.audience)
        if waiters:
            # Not now: the request that sent the event is responded to first.
            task = asyncio.create_task(respond(entry, waiters))
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
        return len(self._polls)

    def add_waiter(self, waiter: Waiter) -> None:
        self._polls.add(waiter)

    def remove_waiter(self, waiter: Waiter) -> None:
        self._polls.remove(waiter)

    def measure_woken(self) -> None:
        """Measure how long a poll took from the last event to its turn."""
        self._measurements.poll_woken(stopwatch() - self.taken_at)

    def wake_all(self) -> None:
        self._polls.wake_all()

    def wake_queues(self, queue_ids: Collection[QueueId]) -> None:
        """Wake the polls that wait on any of these queues."""
        self._polls.wake_on(queue_ids)
