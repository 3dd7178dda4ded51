"""Per-process cache of realms' linkifiers, invalidated by the event log."""

from functools import partial

import structlog
from sqlalchemy import bindparam, select

from chatapi.core.ids import RealmId
from chatapi.db.models import Linkifier as LinkifierRow
from chatapi.db.session import DatabaseSession
from chatapi.events.cache_tags import LinkifiersTag
from chatapi.events.feed_cache import FeedCache
from chatapi.events.hub import Hub
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
        self._linkifiers = FeedCache[None, Linkifiers](
            hub, max_values=1, realm_tags=(LinkifiersTag,)
        )

    async def of(self, db: DatabaseSession, realm_id: RealmId) -> Linkifiers:
        known = self._linkifiers.get(realm_id, None)
        if known is not None:
            return known
        return await self._linkifiers.load(
            realm_id, None, partial(_load, db, realm_id), is_live=db.is_live
        )


async def _load(db: DatabaseSession, realm_id: RealmId) -> Linkifiers:
    rows = await db.execute(_OF_REALM, {"realm_id": realm_id})
    return Linkifiers([each for row in rows if (each := _read(realm_id, *row)) is not None])


def _read(realm_id: RealmId, pattern: str, template: str) -> Linkifier | None:
    """None for what only another version of the service accepts: messages must be sent anyway."""
    try:
        return Linkifier(Pattern(pattern), UrlTemplate.parse(template))
    except (InvalidPatternError, InvalidTemplateError) as error:
        log.warning(
            "linkifier_not_understood", realm_id=realm_id, pattern=pattern, error=str(error)
        )
        return None
