"""Ids of events as clients know them.

A logged event has a number, and numbers have no gaps. Clients may receive one logged event in
several pieces, and events that have no number: ephemeral events and heartbeats. So between two
numbers there is room for ids: the pieces of an event have the last ids up to its own, and events
without a number have the first ids behind the event that was delivered before them. All ids of a
queue grow strictly.
"""

from chatapi.core.ids import EventId, EventNumber

_ROOM = 1 << 20
"""Ids per number: numbers up to 2^33 have ids that every JSON parser can represent (2^53)."""
MAX_PIECES = _ROOM // 2
_MAX_BEHIND = _ROOM - MAX_PIECES - 1


def id_of(number: EventNumber) -> EventId:
    """Return the id of a logged event: that of its last piece."""
    return EventId(number * _ROOM)


def piece_ids(number: EventNumber, count: int) -> range:
    """Return one id for each piece of a logged event."""
    return range(id_of(number) - count + 1, id_of(number) + 1)


def id_behind(last: EventId) -> EventId | None:
    """Return the next id for an event without a number; None: none is left until the next one."""
    if last % _ROOM >= _MAX_BEHIND:
        return None
    return EventId(last + 1)


def newest_completed(event_id: EventId) -> EventNumber:
    """Return the last logged event of which a client with this id has all pieces."""
    return EventNumber(event_id // _ROOM)


def newest_begun(event_id: EventId) -> EventNumber:
    """Return the last logged event of which a client with this id has at least one piece."""
    return EventNumber((event_id + MAX_PIECES - 1) // _ROOM)
