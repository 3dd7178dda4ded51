"""Per-process cache of realms' linkifiers, invalidated by the event log."""

import structlog
from sqlalchemy import bindparam, select

from chatapi.core.ids import RealmId
from chatapi.db.models import Linkifier as LinkifierRow
from chatapi.db.session import DatabaseSession
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer
from chatapi.rendering import (
    InvalidPatternError,
    InvalidTemplateError,
    Linkifier,
    Linkifiers,
    Pattern,
    UrlTemplate,
)

log = structlog.get_logger()

_OF_REALM = (
    select(LinkifierRow.pattern, LinkifierRow.url_template)
    .where(LinkifierRow.realm_id == bindparam("realm_id"))
    .order_by(LinkifierRow.position, LinkifierRow.id)
)


class LinkifierCache:
    """The cache between messages and the linkifier table: most messages cost no statement."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._realms: dict[RealmId, Linkifiers] = {}
        self._changes = 0
        hub.observe(Observer(on_event=self._on_event, on_reset=self._invalidate))

    async def of(self, db: DatabaseSession, realm_id: RealmId) -> Linkifiers:
        known = self._realms.get(realm_id)
        if known is not None:
            return known
        # Follow the realm's log before reading, so that no change in between can be missed.
        await self._hub.feed(realm_id)
        changes = self._changes
        rows = await db.execute(_OF_REALM, {"realm_id": realm_id})
        found = Linkifiers([each for row in rows if (each := _read(realm_id, *row)) is not None])
        # Do not cache what a transaction sees: it may be outdated or not committed yet.
        if db.is_live and changes == self._changes:
            self._realms[realm_id] = found
        return found

    def _on_event(self, entry: Entry) -> None:
        if entry.event.changes_linkifiers() or entry.event.changes_realm():
            self._invalidate(entry.realm_id)

    def _invalidate(self, realm_id: RealmId) -> None:
        self._changes += 1
        self._realms.pop(realm_id, None)


def _read(realm_id: RealmId, pattern: str, template: str) -> Linkifier | None:
    """None for what only another version of the service accepts: messages must be sent anyway."""
    try:
        return Linkifier(Pattern(pattern), UrlTemplate.parse(template))
    except (InvalidPatternError, InvalidTemplateError) as error:
        log.warning(
            "linkifier_not_understood", realm_id=realm_id, pattern=pattern, error=str(error)
        )
        return None
