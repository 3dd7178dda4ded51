"""Ids of events as clients know them.

A logged event has a number, and numbers have no gaps. Clients may be told of one number in several
pieces, and of things that have no number: ephemeral events and heartbeats. So between two numbers
there is room for ids: the pieces of an event have the last ids up to its own, and what has no
number has the first ids behind the event that was told before it. All ids of a queue grow strictly.
"""

from chatapi.core.ids import EventId, EventNumber

_ROOM = 1 << 20
"""Ids per number: numbers up to 2^33 have ids that every JSON reader can hold (2^53)."""
MAX_PIECES = _ROOM // 2
_MAX_BEHIND = _ROOM - MAX_PIECES - 1


def id_of(number: EventNumber) -> EventId:
    """The id of a logged event: that of its last piece."""
    return EventId(number * _ROOM)


def piece_ids(number: EventNumber, count: int) -> range:
    """One id for each piece of a logged event."""
    return range(id_of(number) - count + 1, id_of(number) + 1)


def id_behind(last: EventId) -> EventId | None:
    """The next id for something that has no number; None: there is none before the next event."""
    if last % _ROOM >= _MAX_BEHIND:
        return None
    return EventId(last + 1)


def newest_completed(event_id: EventId) -> EventNumber:
    """The last logged event of which a client with this id has everything."""
    return EventNumber(event_id // _ROOM)


def newest_begun(event_id: EventId) -> EventNumber:
    """The last logged event of which a client with this id has at least a piece."""
    return EventNumber((event_id + MAX_PIECES - 1) // _ROOM)
