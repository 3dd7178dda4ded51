"""Writes the audit log, in the transaction of the change, and deletes what is too old."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, insert, select

from chatapi.audit.entries import AuditChange, AuditOrigin
from chatapi.core.ids import RealmId
from chatapi.db.models import AuditLogEntry
from chatapi.db.session import DatabaseSession

MAX_CLIENT_LENGTH = 60
MAX_ADDRESS_LENGTH = 64


class AuditLog:
    """The statements on the audit log of all realms."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def append(
        self, realm_id: RealmId, entries: Sequence[tuple[AuditChange, AuditOrigin]], at: datetime
    ) -> None:
        """Write entries; the caller has locked the realm, so that ids have the order of commits."""
        await self._db.execute(
            insert(AuditLogEntry),
            [
                {
                    "realm_id": realm_id,
                    "created_at": at,
                    "kind": change.kind.value,
                    "source": origin.source.value,
                    "acting_user_id": origin.acting_user_id,
                    "user_id": change.user_id,
                    "channel_id": change.channel_id,
                    "group_id": change.group_id,
                    "property": change.property,
                    "old_value": change.old,
                    "new_value": change.new,
                    "address": origin.address[:MAX_ADDRESS_LENGTH],
                    "client": origin.client[:MAX_CLIENT_LENGTH],
                }
                for change, origin in entries
            ],
        )

    async def has_entries_before(self, moment: datetime) -> bool:
        rows = await self._db.execute(select(exists().where(AuditLogEntry.created_at < moment)))
        return bool(rows.scalar_one())

    async def delete_before(self, moment: datetime, limit: int) -> int:
        """Delete some old entries, the oldest first; returns how many."""
        oldest = (
            select(AuditLogEntry.id)
            .where(AuditLogEntry.created_at < moment)
            .order_by(AuditLogEntry.created_at)
            .limit(limit)
        )
        deleted = await self._db.execute(delete(AuditLogEntry).where(AuditLogEntry.id.in_(oldest)))
        return deleted.rowcount
