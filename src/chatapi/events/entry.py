"""An event that has its place in a realm's order, ready to be handed to clients."""

from collections.abc import Hashable
from dataclasses import dataclass, field

import orjson
import structlog
from pydantic import ValidationError

from chatapi.core.ids import EventNumber, RealmId
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Audience, Nobody, load_audience
from chatapi.events.client import ClientView
from chatapi.events.event import Event, NotUnderstood, load_event

log = structlog.get_logger()


@dataclass(frozen=True)
class Entry:
    """A logged event, or a fleeting one, which a feed stamps with the number before it."""

    realm_id: RealmId
    number: EventNumber
    event: Event
    audience: Audience
    _encoded: dict[Hashable, tuple[bytes, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _completed: list[Event] = field(default_factory=list, init=False, compare=False, repr=False)

    def is_for(self, view: ClientView) -> bool:
        """Whether the event was for the reader, with the role they had when it happened."""
        view = view.as_of(self.number)
        if self.event.is_internal or not self.event.is_for(view):
            return False
        return self.audience.admits(view, self.number)

    @property
    def is_complete(self) -> bool:
        return self.event.is_complete or bool(self._completed)

    async def complete(self, db: DatabaseSession) -> None:
        """Look up, once for all readers, what the event only describes."""
        if not self.is_complete:
            self._completed.append(await self.event.complete(db))

    def encoded_for(self, view: ClientView) -> tuple[bytes, ...]:
        """The event's JSON, in one piece or more, encoded once for all readers who see the same."""
        view = view.as_of(self.number)
        variant = self.event.variant(view)
        encoded = self._encoded.get(variant)
        if encoded is None:
            event = self._completed[0] if self._completed else self.event
            encoded = self._encoded[variant] = encode_event(self.number, event, view)
        return encoded

    def to_row(self) -> list[object]:
        """What the bus and the log keep: number, name, audience and body."""
        return [
            self.number,
            self.event.name(),
            self.audience.model_dump_json(),
            self.event.model_dump_json(),
        ]


def encode_event(number: EventNumber, event: Event, view: ClientView) -> tuple[bytes, ...]:
    head: dict[str, object] = {"id": number, "type": event.type}
    if event.op is not None:
        head["op"] = event.op
    return tuple(
        orjson.dumps({**body, **head}, option=orjson.OPT_NON_STR_KEYS)
        for body in event.bodies(view)
    )


def load_entry(realm_id: RealmId, number: int, name: str, audience: str, body: str) -> Entry:
    """A row of the log; one that cannot be read must not stop all that follow it."""
    try:
        return Entry(realm_id, EventNumber(number), load_event(name, body), load_audience(audience))
    except (KeyError, ValidationError) as error:
        log.warning("event_not_understood", name=name, reason=type(error).__name__)
        return Entry(realm_id, EventNumber(number), NotUnderstood(name_in_log=name), Nobody())


def encode_heartbeat(number: EventNumber) -> bytes:
    """What a poll with nothing to tell is answered with, whatever types were asked for."""
    return orjson.dumps({"id": number, "type": "heartbeat"})
