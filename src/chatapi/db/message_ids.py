"""Message ids: taken while holding a realm's lock, so they have the order of its commits."""

from sqlalchemy import bindparam, func, select, text

from chatapi.core.ids import MessageId, RealmId
from chatapi.db.clocks import TAKE_IDS
from chatapi.db.models import Message
from chatapi.db.session import DatabaseSession

_NEWEST = select(func.max(Message.id)).where(Message.realm_id == bindparam("realm_id"))
# The highest id ever assigned, which SQLite keeps even if the message is deleted.
_HIGHEST_IN_SQLITE = text("SELECT seq FROM sqlite_sequence WHERE name = 'message'")


async def take_message_ids(db: DatabaseSession, count: int) -> list[MessageId]:
    """Take `count` ids, ascending; those that were taken with the lock are used first."""
    if db.database.is_sqlite:
        # The caller is the only writer: no other transaction can take the same ids.
        row = await db.execute(_HIGHEST_IN_SQLITE)
        highest: int = row.scalar_one_or_none() or 0
        return [MessageId(highest + step) for step in range(1, count + 1)]
    ids = db.use_message_ids(count)
    if len(ids) < count:
        rows = await db.execute(TAKE_IDS, {"count": count - len(ids)})
        ids += sorted(MessageId(number) for (number,) in rows)
    return ids


async def newest_message_id(db: DatabaseSession, realm_id: RealmId) -> MessageId | None:
    """Return the newest message of a realm, None if there is none."""
    [(newest,)] = await db.fetch(_NEWEST, {"realm_id": realm_id})
    return None if newest is None else MessageId(newest)
