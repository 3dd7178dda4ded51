"""What goes into one answer of GET /events: entries in the order of their ids, not too many."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chatapi.core.errors import BadEventQueueIdError
from chatapi.core.ids import EventId, EventNumber
from chatapi.events.client import ClientView
from chatapi.events.entry import Entry, Piece
from chatapi.events.event_ids import MAX_PIECES, id_behind, id_of, newest_begun, newest_completed

_EVENTS_PER_ANSWER = 1_000


@dataclass
class Page:
    """Entries for one reader after a cursor."""

    entries: list[Entry]
    reached: EventId
    """How far that looked."""
    is_whole: bool
    """Whether it has everything there was; otherwise another page follows."""
    has_too_many_pieces: bool = False
    """Whether an entry has more pieces than there are ids."""

    def add_ephemeral(self, ephemeral: Sequence[Entry], cursor: EventId) -> None:
        """Put fleeting events between the logged ones, in the order in which they came.

        A client may have later ids than theirs already, from another process or by a heartbeat:
        then they get the next ids behind the last logged event it has.
        """
        last = max(cursor, id_of(newest_begun(cursor)))
        for entry in ephemeral:
            ephemeral_id = entry.id if entry.id > last else id_behind(last)
            if ephemeral_id is not None:
                self.entries.append(entry.with_ephemeral_id(ephemeral_id))
                last = ephemeral_id
        self.entries.sort(key=lambda entry: entry.id)
        self.reached = max(self.reached, last)

    def cut(self, pieces: Iterable[Piece], cursor: EventId) -> tuple[list[Piece], EventId]:
        """Those of the page's pieces that the client does not have, and how far they reach."""
        missing = [piece for piece in pieces if piece.id > cursor]
        if self.is_whole or len(missing) <= _EVENTS_PER_ANSWER:
            return missing, self.reached
        return missing[:_EVENTS_PER_ANSWER], missing[_EVENTS_PER_ANSWER - 1].id


def first_for(view: ClientView, entries: Sequence[Entry], cursor: EventId) -> Page:
    """The entries for a reader that go into one answer; a single one may be too long for it.

    A queue ends where the log says that the reader's clients start anew. Its row is deleted then,
    unless it was written while that happened: the log alone knows of all queues from before.
    """
    wanted: list[Entry] = []
    room = _EVENTS_PER_ANSWER
    number: EventNumber = newest_completed(cursor)
    has_too_many_pieces = False
    for entry in entries:
        if entry.event.is_internal:
            if view.user_id in entry.event.restarted_users():
                raise BadEventQueueIdError(view.queue_id)
        elif entry.is_for(view):
            count = entry.event.count_for(view)
            room -= count
            if wanted and room < 0:
                break
            has_too_many_pieces |= count > MAX_PIECES
            wanted.append(entry)
        number = entry.number
    return Page(
        entries=wanted,
        reached=max(cursor, id_of(number)),
        is_whole=room >= 0,
        has_too_many_pieces=has_too_many_pieces,
    )
