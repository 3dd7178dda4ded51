"""An event with its number in a realm's log, ready to be delivered to clients."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import orjson
import structlog
from pydantic import ValidationError

from chatapi.core.ids import EventId, EventNumber, RealmId
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Audience, Nobody, load_audience
from chatapi.events.cache_tags import CacheTag
from chatapi.events.client import ClientView
from chatapi.events.event import Event, UnknownEvent, load_event
from chatapi.events.event_ids import id_of, piece_ids

log = structlog.get_logger()


class Piece(NamedTuple):
    """What a client receives as one event: the whole event or a part of it."""

    id: EventId
    json: bytes
    """Includes its `id`."""


@dataclass
class Entry:
    """A logged event, or an ephemeral one, which gets the number of the last logged event.

    Treat it as immutable: it is not frozen because that would make it slower to build.
    """

    realm_id: RealmId
    number: EventNumber
    event: Event
    audience: Audience
    ephemeral_id: EventId | None = None
    """An id behind the number, for an event that is not logged."""
    _encoded: dict[Hashable, tuple[Piece, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _completed: list[Event] = field(default_factory=list, init=False, compare=False, repr=False)

    def is_for(self, view: ClientView) -> bool:
        """Whether the reader receives the event, given the role they had when it happened."""
        view = view.as_of(self.number)
        if self.event.is_internal or not self.event.is_for(view):
            return False
        return self.audience.includes(view, self.number)

    @cached_property
    def cache_tags(self) -> frozenset[CacheTag]:
        """What the event invalidates; computed once for all caches."""
        return self.event.cache_tags.union(self.event.field_cache_tags())

    @property
    def is_complete(self) -> bool:
        return self.event.is_complete or bool(self._completed)

    async def complete(self, db: DatabaseSession) -> None:
        """Look up, once for all readers, the items that the event only describes."""
        if not self.is_complete:
            self._completed.append(await self.event.complete(db))

    @property
    def id(self) -> EventId:
        """The last id that a client receives with it."""
        return id_of(self.number) if self.ephemeral_id is None else self.ephemeral_id

    def with_ephemeral_id(self, ephemeral_id: EventId) -> "Entry":
        """Return the same ephemeral event for a client that needs another id for it."""
        return self if ephemeral_id == self.id else replace(self, ephemeral_id=ephemeral_id)

    def encoded_for(self, view: ClientView) -> tuple[Piece, ...]:
        """Return the event's JSON, in one or more pieces, encoded once per variant."""
        view = view.as_of(self.number)
        variant = self.event.variant(view)
        encoded = self._encoded.get(variant)
        if encoded is None:
            encoded = self._encoded[variant] = self._encode(view)
        return encoded

    def _encode(self, view: ClientView) -> tuple[Piece, ...]:
        event = self._completed[0] if self._completed else self.event
        bodies = event.bodies(view)
        if self.ephemeral_id is not None:
            return tuple(_encode(self.ephemeral_id, event, body) for body in bodies)
        ids = piece_ids(self.number, len(bodies))
        return tuple(
            _encode(EventId(event_id), event, body)
            for event_id, body in zip(ids, bodies, strict=True)
        )

    def to_row(self) -> list[object]:
        """Return what the bus and the log store: number, name, audience and body."""
        return [
            self.number,
            self.event.name(),
            self.audience.json_text,
            self.event.model_dump_json(),
        ]


def _encode(event_id: EventId, event: Event, body: dict[str, Any]) -> Piece:
    head: dict[str, object] = {"id": event_id, "type": event.type}
    if event.op is not None:
        head["op"] = event.op
    return Piece(event_id, orjson.dumps({**body, **head}, option=orjson.OPT_NON_STR_KEYS))


def load_entry(realm_id: RealmId, number: int, name: str, audience: str, body: str) -> Entry:
    """Load a row of the log; one that cannot be read must not block those after it."""
    try:
        return Entry(realm_id, EventNumber(number), load_event(name, body), load_audience(audience))
    except (KeyError, ValidationError) as error:
        log.warning("event_not_understood", name=name, reason=type(error).__name__)
        return Entry(realm_id, EventNumber(number), UnknownEvent(name_in_log=name), Nobody())


def heartbeat(event_id: EventId) -> Piece:
    """Return the response of a poll without events, whatever types the client asked for."""
    return Piece(event_id, orjson.dumps({"id": event_id, "type": "heartbeat"}))
