"""The content of one response of GET /events: entries in the order of their ids, up to a limit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chatapi.core.errors import BadEventQueueIdError
from chatapi.core.ids import EventId, EventNumber
from chatapi.db.session import DatabaseSession
from chatapi.events.client import ClientView
from chatapi.events.entry import Entry, Piece
from chatapi.events.event_ids import MAX_PIECES, id_behind, id_of, newest_begun, newest_completed

_EVENTS_PER_ANSWER = 1_000


@dataclass
class Page:
    """Entries for one reader after a cursor."""

    entries: list[Entry]
    reached: EventId
    """The id up to which the log was searched."""
    is_whole: bool
    """Whether it contains all entries there were; otherwise another page follows."""
    has_too_many_pieces: bool = False
    """Whether an entry has more pieces than there are ids."""

    async def complete(self, db: DatabaseSession) -> None:
        """Look up the items of entries that only describe them."""
        for entry in self.entries:
            await entry.complete(db)

    def add_ephemeral(self, ephemeral: Sequence[Entry], cursor: EventId) -> None:
        """Put ephemeral events between the logged ones, in the order in which they arrived.

        A client may already have later ids, from another process or from a heartbeat: then these
        events get the next ids behind the last logged event it has.
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
        """Return the pieces that the client does not have yet, and the last id they cover."""
        missing = [piece for piece in pieces if piece.id > cursor]
        if self.is_whole or len(missing) <= _EVENTS_PER_ANSWER:
            return missing, self.reached
        return missing[:_EVENTS_PER_ANSWER], missing[_EVENTS_PER_ANSWER - 1].id


def with_reveals(view: ClientView, entries: Iterable[Entry]) -> ClientView:
    """Return the view for events among which users become visible to a restricted reader."""
    if view.sees_all_users:
        return view
    reveals = [
        (entry.number, user_id)
        for entry in entries
        if (user_id := entry.event.revealed_user(view.user_id)) is not None
    ]
    return view.before_reveals(reveals) if reveals else view


def first_for(view: ClientView, entries: Sequence[Entry], cursor: EventId) -> Page:
    """Return the entries for a reader that fit one response; a single one may exceed the limit.

    A queue ends where the log says that the reader's clients must register again. Its row is
    deleted then, unless it was inserted at the same time: only the log ends all earlier queues.
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
